"""Values with operators, so that rules and NumPy's surface read like NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ..source import Span
from .builder import Builder
from .dims import Dimension
from .structure import SHAPE, SIZE
from .types import ArrayType
from .values import Value

Maker = tuple[str, int, int]
"""Where a dict is made: the file, the line, the column."""


class NeedsStatic(Exception):
    """Raised where it takes the value of an expression to go on.

    Args:
        value: the IR value that has to be known when compiling; the front end specialises on
            the argument it comes from, or unrolls the loop that makes it.
        length: of the container of this ``kind`` that it is a position in, where that is all
            that has to be known.
        sign: whether it would do to know whether it is negative.

    ``span`` is where, once the front end has said so; ``maker`` where the dict is made that it is a
    key of.
    """

    def __init__(
        self, value: Value, length: int | None = None, kind: str = "", *, sign: bool = False
    ) -> None:
        super().__init__(f"{value!r} has to be known when compiling")
        self.value = value
        self.length = length
        self.kind = kind
        self.sign = sign
        self.span: Span | None = None
        self.maker: Maker | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Expr:
    """An IR value and the builder that further operations on it are added to."""

    builder: Builder
    value: Value

    @property
    def type(self) -> Any:
        return self.value.type

    @property
    def ndim(self) -> int:
        return int(self.type.ndim)

    @property
    def dtype(self) -> Any:
        return self.type.dtype

    @property
    def dims(self) -> tuple[Dimension, ...]:
        """Lengths as far as known when compiling."""
        return tuple(self.type.shape)

    @property
    def shape(self) -> tuple[Any, ...]:
        """Lengths: ``int`` where known, else runtime integers."""
        return tuple(self.length(axis) for axis in range(self.ndim))

    def length(self, axis: int) -> Any:
        """The length of one axis: an ``int`` or a runtime integer."""
        d = self.builder.dims.canonical(self.type.shape[axis])
        if isinstance(d, int):
            return d
        return Expr(self.builder, self.builder.op(SHAPE, self.value, axis=axis % self.ndim))

    @property
    def size(self) -> Any:
        d = self.type.size
        if isinstance(d, int):
            return d
        return Expr(self.builder, self.builder.op(SIZE, self.value))

    @property
    def T(self) -> Expr:
        return one("transpose", self, axes=tuple(reversed(range(self.ndim))))

    @property
    def mT(self) -> Expr:
        """The last two axes exchanged."""
        n = self.ndim
        return one("transpose", self, axes=(*range(n - 2), n - 1, n - 2))

    def __add__(self, other: Any) -> Expr:
        return one("add", self, other)

    def __radd__(self, other: Any) -> Expr:
        return one("add", other, self)

    def __sub__(self, other: Any) -> Expr:
        return one("subtract", self, other)

    def __rsub__(self, other: Any) -> Expr:
        return one("subtract", other, self)

    def __mul__(self, other: Any) -> Expr:
        return one("multiply", self, other)

    def __rmul__(self, other: Any) -> Expr:
        return one("multiply", other, self)

    def __truediv__(self, other: Any) -> Expr:
        return one("divide", self, other)

    def __rtruediv__(self, other: Any) -> Expr:
        return one("divide", other, self)

    def __floordiv__(self, other: Any) -> Expr:
        return one("floor_divide", self, other)

    def __rfloordiv__(self, other: Any) -> Expr:
        return one("floor_divide", other, self)

    def __mod__(self, other: Any) -> Expr:
        return one("remainder", self, other)

    def __pow__(self, other: Any) -> Expr:
        return one("power", self, other)

    def __rpow__(self, other: Any) -> Expr:
        return one("power", other, self)

    def __matmul__(self, other: Any) -> Expr:
        return one("matmul", self, other)

    def __neg__(self) -> Expr:
        return one("negative", self)

    def __lt__(self, other: Any) -> Expr:
        return one("less", self, other)

    def __le__(self, other: Any) -> Expr:
        return one("less_equal", self, other)

    def __gt__(self, other: Any) -> Expr:
        return one("greater", self, other)

    def __ge__(self, other: Any) -> Expr:
        return one("greater_equal", self, other)

    def __and__(self, other: Any) -> Expr:
        return one("logical_and", self, other)

    def __bool__(self) -> bool:
        raise NeedsStatic(self.value)

    def __iter__(self) -> Any:
        raise NeedsStatic(self.value)


def find_builder(args: Iterable[Any]) -> Builder:
    """The innermost builder among the arguments that are expressions."""
    for arg in args:
        if isinstance(arg, Expr):
            return arg.builder
        if isinstance(arg, tuple | list):
            try:
                return find_builder(arg)
            except LookupError:
                continue
    raise LookupError("no runtime value among the arguments")


def lift(builder: Builder, x: Any) -> Value:
    """``x`` as an IR value: expressions as they are, anything else as a constant."""
    if isinstance(x, Expr):
        return x.value
    return x if isinstance(x, Value) else builder.const(x)


def apply(name: str, /, *args: Any, **attrs: Any) -> Any:
    """One op on expressions and constants; an expression, or a tuple of them."""
    builder = find_builder(args)
    result = builder.op(name, *(lift(builder, a) for a in args), **attrs)
    if isinstance(result, tuple):
        return tuple(Expr(builder, r) for r in result)
    return Expr(builder, result)


def one(name: str, /, *args: Any, **attrs: Any) -> Expr:
    """``apply`` for an op with one result."""
    result = apply(name, *args, **attrs)
    assert isinstance(result, Expr)
    return result


class Functions:
    """Ops as functions of expressions: ``f.cos(x)``, ``f.sum(x, axis=(0,))``."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **attrs: apply(name.rstrip("_"), *args, **attrs)


f = Functions()


def is_array(x: Any) -> bool:
    """Whether ``x`` is an expression of array type (0-d included)."""
    return isinstance(x, Expr) and isinstance(x.type, ArrayType)
