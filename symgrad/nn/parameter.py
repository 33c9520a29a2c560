"""``Parameter``: an array to be trained, and its gradient, in a box.

Compiled code reads ``data`` at each call; uncompiled code may use the box as an array.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np

from ..errors import GradientError
from ..extend import settings
from .exact import ExactSum
from .gradient_hooks import ParameterHooks
from .handles import RemovableHandle, added

Array = np.ndarray[Any, Any]


_FIELDS = ("_data", "_grad", "_requires_grad", "name")


class Parameter:
    """An array that modules register and optimizers change.

    Args:
        data: the array; it is not copied. Anything but floats or complex numbers needs
            ``requires_grad=False``.
        requires_grad: whether ``nn.backward`` computes a gradient.
        name: for people and for matching states.

    Raises:
        TypeError: ``data`` is no array.
        GradientError: a gradient is wanted of integers.

    >>> p = nn.Parameter(np.array([1.0, 2.0]))
    >>> p * 2
    array([2., 4.])
    """

    __slots__ = (
        "__weakref__",
        "_additions",
        "_data",
        "_exact",
        "_grad",
        "_hooks",
        "_lock",
        "_requires_grad",
        "name",
    )
    __symgrad_array__ = "_data"
    __symgrad_wanted__ = "_requires_grad"
    __symgrad_hook__ = "_hooks"
    __symgrad_static__ = True
    __hash__ = object.__hash__

    def __init__(
        self, data: Any, requires_grad: bool = True, name: str | None = None
    ) -> None:
        self._data: Array = _array(data)
        self._requires_grad = False
        self._set_up()
        self.name = name
        self._grad: Array | None = None
        self.requires_grad = requires_grad

    def _set_up(self) -> None:
        """What is not copied with the parameter."""
        self._lock = threading.Lock()
        self._additions = 0
        self._exact: ExactSum | None = None
        self._hooks: ParameterHooks | None = None

    # -- data and gradient --------------------------------------------------------------
    @property
    def data(self) -> Array:
        """The array."""
        return self._data

    @data.setter
    def data(self, new: Any) -> None:
        self._data = _array(new)

    @property
    def requires_grad(self) -> bool:
        """Whether ``nn.backward`` computes a gradient; what is frozen costs nothing."""
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, flag: bool) -> None:
        if flag and self._data.dtype.kind not in "fc":
            raise GradientError(
                f"a parameter of dtype {self._data.dtype} cannot require a gradient; pass "
                "requires_grad=False, or convert it with astype(float)"
            )
        self._requires_grad = bool(flag)

    def requires_grad_(self, flag: bool = True) -> Parameter:
        """Set ``requires_grad``, and return the parameter."""
        self.requires_grad = flag
        return self

    @property
    def grad(self) -> Array | None:
        """The gradient accumulated so far; None before the first.

        Raises:
            TypeError: something else than an array or None is assigned.
            GradientError: an array of another shape or dtype is assigned, or one that is
            read-only.
        """
        if self._exact is not None:
            with self._lock:
                self._settle()
        return self._grad

    @grad.setter
    def grad(self, new: Any) -> None:
        if isinstance(new, np.generic):  # what arithmetic makes of arrays of rank 0
            new = np.asarray(new)
        if new is not None:
            self._check_gradient(new)
            if not new.flags.writeable:
                raise GradientError(
                    "a gradient is added to: it cannot be a read-only array"
                )
        with self._lock:
            self._exact = None
            self._grad = new

    def _settle(self) -> None:
        """Put what has been summed up exactly into the gradient; under the lock."""
        if self._exact is not None and self._grad is not None:
            np.copyto(self._grad, self._exact.rounded(self._grad))
        self._exact = None

    def _check_gradient(self, g: Any) -> None:
        if not isinstance(g, np.ndarray):
            raise TypeError(f"a gradient is an array or None, not {type(g).__name__}")
        mine = self._data
        if g.shape != mine.shape or g.dtype != mine.dtype:
            raise GradientError(
                f"the gradient of a parameter of shape {mine.shape} and dtype {mine.dtype} "
                f"cannot have shape {g.shape} and dtype {g.dtype}"
            )

    def accumulate(self, g: Any) -> None:
        """Add ``g`` to ``grad``, or make it ``grad`` if there is none; safe among threads.

        Args:
            g: an array of the shape and dtype of ``data``, not used elsewhere.
        """
        g = np.asarray(g)
        self._check_gradient(g)
        deterministic = settings().deterministic
        with self._lock:
            self._additions += 1
            if not deterministic:
                self._settle()
            if self._grad is None:
                self._grad = g
            elif deterministic:
                if self._exact is None:
                    self._exact = ExactSum(self._grad)
                self._exact.add(g)
            else:
                np.add(self._grad, g, out=self._grad)

    def accumulate_provisionally(self, g: Any) -> Callable[[], None]:
        """``accumulate(g)``; calling what is returned takes it back, and leaves what other
        threads have added since.

        >>> p = nn.Parameter(np.zeros(2))
        >>> take_back = p.accumulate_provisionally(np.ones(2))
        >>> take_back()
        >>> p.grad is None
        True
        """
        g = np.array(g)
        with self._lock:
            before, exact, count = self._grad, deepcopy(self._exact), self._additions
            content = () if before is None else before.copy()
        self.accumulate(g.copy())

        def take_back() -> None:
            with self._lock:
                alone = self._additions == count + 1
                if alone:
                    self._grad, self._exact = before, exact
                    if before is not None:
                        np.copyto(before, content)
            if not alone:
                self.accumulate(-g)

        return take_back

    # -- hooks --------------------------------------------------------------------------
    def register_hook(self, hook: Callable[[Array], Array | None]) -> RemovableHandle:
        """Call ``hook(gradient)`` when a gradient is complete, before it is added to ``grad``;
        what it returns, if not None, is added instead.

        Raises:
            TypeError: ``hook`` cannot be called.
            GradientError: the parameter requires no gradient.
        """
        if not self._requires_grad:
            raise GradientError(
                "a hook on the gradient of a parameter that requires none never runs; set "
                "requires_grad first"
            )
        return added(self, ParameterHooks(), "gradient", hook)

    def register_post_accumulate_grad_hook(
        self, hook: Callable[[Parameter], None]
    ) -> RemovableHandle:
        """Call ``hook(parameter)`` when a gradient has been added to ``grad``: on the way back,
        as soon as it is complete. The hook may change ``data``, as an optimizer does: the rest
        of the way back works with a copy. If it, or the rest of the way back, raises, ``grad``
        becomes what it was; what the hook itself has done stays.

        Raises:
            TypeError: ``hook`` cannot be called.
        """
        return added(self, ParameterHooks(), "accumulated", hook)

    # -- as an array --------------------------------------------------------------------
    @property
    def shape(self) -> tuple[int, ...]:
        """The array's shape."""
        found: tuple[int, ...] = self._data.shape
        return found

    @property
    def dtype(self) -> np.dtype[Any]:
        """The array's dtype."""
        found: np.dtype[Any] = self._data.dtype
        return found

    @property
    def ndim(self) -> int:
        """The array's rank."""
        return self._data.ndim

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._data.size

    def numel(self) -> int:
        """The number of elements."""
        return self._data.size

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self._data, dtype=dtype, copy=copy)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"'Parameter' object has no attribute {name!r}")
        return getattr(self._data, name)

    def __len__(self) -> int:
        return len(self._data)

    def __bool__(self) -> bool:
        return bool(self._data)

    def __float__(self) -> float:
        return float(self._data)

    def __int__(self) -> int:
        return int(self._data)

    def __iter__(self) -> Any:
        return iter(self._data)

    def __getitem__(self, key: Any) -> Any:
        return self._data[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._data[key] = value

    # -- copies and text ----------------------------------------------------------------
    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            self._settle()
            return {name: getattr(self, name) for name in _FIELDS}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name in _FIELDS:
            setattr(self, name, state[name])
        self._set_up()

    def __repr__(self) -> str:
        more = "" if self._requires_grad else "requires_grad=False, "
        kind = f"{more}shape {self.shape}, {self.dtype}"
        title = f"Parameter {self.name!r}" if self.name else "Parameter"
        return f"{title} ({kind}):\n{self._data!r}"


def _array(data: Any) -> Array:
    if isinstance(data, Parameter):
        return data.data
    if isinstance(data, np.generic):
        return np.array(data)
    if type(data) not in (np.ndarray, np.memmap):
        raise TypeError(
            f"a parameter holds an array, not {type(data).__name__}; pass np.array(...)"
        )
    found: Array = data
    return found


def _plain(x: Any) -> Any:
    return x._data if isinstance(x, Parameter) else x


def _binary(function: Any) -> Any:
    def method(self: Parameter, other: Any) -> Any:
        return function(self._data, _plain(other))

    return method


def _reflected(function: Any) -> Any:
    def method(self: Parameter, other: Any) -> Any:
        return function(other, self._data)

    return method


def _in_place(function: Any) -> Any:
    def method(self: Parameter, other: Any) -> Parameter:
        function(self._data, _plain(other), out=self._data)
        return self

    return method


def _unary(function: Any) -> Any:
    return lambda self: function(self._data)


_ARITHMETIC = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide,
    "floordiv": np.floor_divide, "mod": np.mod, "pow": np.power, "matmul": np.matmul,
}  # fmt: skip

for _name, _function in _ARITHMETIC.items():
    setattr(Parameter, f"__{_name}__", _binary(getattr(operator, _name)))
    setattr(Parameter, f"__r{_name}__", _reflected(getattr(operator, _name)))
    setattr(Parameter, f"__i{_name}__", _in_place(_function))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Parameter, f"__{_name}__", _binary(getattr(operator, _name)))
for _name in ("neg", "pos", "abs"):
    setattr(Parameter, f"__{_name}__", _unary(getattr(operator, _name)))
