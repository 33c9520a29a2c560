"""The function that users hold: called like the original, and open to inspection."""

from __future__ import annotations

import contextlib
import functools
import inspect
import threading
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..errors import ArgnumsError, SymgradError
from .lowered import LoweredFunction
from .nans import WATCHING, watched
from .tracebacks import shorten, shortened

if TYPE_CHECKING:
    import os

    from ..frontend import Request
    from .arguments import BoundCall
    from .cost import Cost
    from .dispatch import Dispatcher
    from .listing import Listing
    from .pipeline import Passes
    from .saved import Saved

Options = tuple[tuple[str, Any], ...]


class CompiledFunction:
    """A function compiled for each kind of arguments that it meets.

    Args:
        kind: ``"compile"``, ``"grad"``, ``"value_and_grad"``.
        fun: the user's function, or a compiled one.
        options: the transform's options.

    Example:
        >>> f = sg.grad(lambda x: np.sum(np.sin(x)))
        >>> f(np.zeros(2))
        array([1., 1.])
        >>> "np.cos(x)" in f.source
        True
    """

    __wrapped__: Any
    __signature__: inspect.Signature
    __self__: Any

    def __init__(self, kind: str, fun: Any, options: Options = ()) -> None:
        self._static_method = isinstance(fun, staticmethod)
        fun = fun.__func__ if self._static_method else fun
        functools.update_wrapper(self, fun, updated=())
        if isinstance(fun, FunctionType):
            self.__dict__.update(fun.__dict__)
        self._kind = kind
        self._fun = fun
        self._options = options
        self._dispatcher: Dispatcher | None = None
        self._making = threading.Lock()
        self._derivatives: dict[Any, CompiledFunction] = {}
        self._least = self._positions_needed()
        self._enter: Callable[..., Any] = self._first
        with contextlib.suppress(ValueError, TypeError):
            self.__signature__ = signature_of(fun, dict(options).get("parameters"))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            if kwargs or len(args) < self._least:
                self._check_positions(args, kwargs)
            if WATCHING.get():
                return watched(self, args, kwargs)
            return self._enter(*args, **kwargs)
        except Exception as error:
            shorten(error)
            raise

    # -- inspection ---------------------------------------------------------------------
    @shortened
    def lower(self, *args: Any, **kwargs: Any) -> LoweredFunction:
        """The code for arguments of this kind, without running it.

        Arrays may be given as ``symgrad.spec(shape, dtype)``.
        """
        call = self._bound(args, kwargs)
        return LoweredFunction(call.made, call.lengths)

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> BoundCall:
        from .arguments import bound_call

        if kwargs or len(args) < self._least:
            self._check_positions(args, kwargs)
        return bound_call(self, args, kwargs)

    @property
    def specializations(self) -> tuple[LoweredFunction, ...]:
        """One entry for each kind of arguments met, oldest first."""
        if self._dispatcher is None:
            return ()
        return tuple(map(LoweredFunction, self._dispatcher.specialisations))

    @property
    def source(self) -> str:
        """The generated code of the latest specialisation."""
        return self._latest("source").source

    @property
    def ir(self) -> Listing:
        """The IR of the latest specialisation, as the front end made it: a text to print, and
        operations to iterate over."""
        return self._latest("IR").ir

    @property
    def passes(self) -> Passes:
        """The IR of the latest specialisation after each pass; ``.diff(i)`` says what number
        ``i`` changed."""
        return self._latest("IR").passes

    @property
    def line_map(self) -> Any:
        """Which line of the user's each generated line comes from."""
        return self._latest("line map").line_map

    @property
    def filename(self) -> str:
        """The name under which tracebacks and debuggers know the generated code."""
        return self._latest("file name").filename

    @property
    def original_source(self) -> str:
        """The user's text."""
        given = dict(self._options).get("source")
        return given or inspect.getsource(inspect.unwrap(self._fun))

    def _latest(self, what: str) -> LoweredFunction:
        found = self.specializations
        if not found:
            raise SymgradError(
                f"`{self._title()}` has no {what} yet, since that depends on the arguments: "
                "call it, or use `.lower(*args)` (with `symgrad.spec(shape, dtype)` for arrays "
                "that are not there)"
            )
        return found[-1]

    @property
    def saved(self) -> Saved:
        """What the latest specialisation keeps for its backward. Bytes need lengths:
        ``.lower(*args).saved``."""
        return self._latest("saved values").saved

    def explain(self, what: str | int) -> str:
        """How a gradient, by its name in the generated code, or a line of the user's came
        about, in the latest specialisation."""
        return self._latest("derivation").explain(what)

    @shortened
    def cost(self, *args: Any, **kwargs: Any) -> Cost:
        """Counts of operations of a call with these arguments, which is made op by op to
        count them (arrays may be given as ``symgrad.spec``, and are zeros then)."""
        from .cost import measure

        return measure(self._bound(args, kwargs))

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """The user's code and the generated code of the latest specialisation side by side, as
        a page of HTML; also written to ``path``."""
        return self._latest("code").to_html(path)

    def to_dot(self, max_nodes: int = 200) -> str:
        """The operations of the latest specialisation as a graph for Graphviz."""
        return self._latest("graph").to_dot(max_nodes)

    def to_svg(
        self, path: str | os.PathLike[str] | None = None, max_nodes: int = 200
    ) -> str:
        """That graph, drawn by Graphviz's program ``dot``.

        Raises:
            MissingToolError: there is no such program.
        """
        return self._latest("graph").to_svg(path, max_nodes)

    def _repr_html_(self) -> str | None:
        return self.to_html() if self.specializations else None

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))

    def export(self, path: str | os.PathLike[str], format: str = "py") -> None:
        """Write the latest specialisation as a module that needs NumPy only.

        Raises:
            ValueError: ``format`` is not ``"py"``, the only one there is.
        """
        self._latest("code").export(path, format)

    def cache_clear(self) -> None:
        """Forget every specialisation."""
        if self._dispatcher is not None:
            self._dispatcher.clear()

    # -- derivatives --------------------------------------------------------------------
    def grad(self, argnums: int | tuple[int, ...] = 0, **options: Any) -> CompiledFunction:
        """``symgrad.grad`` of this function; the same object for the same options."""
        return self._derivative("grad", argnums, options)

    def value_and_grad(
        self, argnums: int | tuple[int, ...] = 0, **options: Any
    ) -> CompiledFunction:
        """``symgrad.value_and_grad`` of this function; the same object for the same options."""
        return self._derivative("value_and_grad", argnums, options)

    def _derivative(self, kind: str, argnums: Any, options: Any) -> CompiledFunction:
        from . import api

        key = (kind, argnums, tuple(sorted(options.items())))
        with self._making:
            if key not in self._derivatives:
                made = getattr(api, kind)(self, argnums, **options)
                self._derivatives[key] = made
            return self._derivatives[key]

    # -- the compiler's side ------------------------------------------------------------
    @property
    def __symgrad_request__(self) -> Request:
        from ..frontend import Request

        return Request(self._kind, self._fun, self._options)

    def _dispatch(self) -> Dispatcher:
        if self._dispatcher is None:
            with self._making:
                if self._dispatcher is None:
                    from .dispatch import dispatcher_for

                    self._dispatcher = dispatcher_for(self, self._publish)
        return self._dispatcher

    def _first(self, *args: Any, **kwargs: Any) -> Any:
        return self._dispatch().enter(*args, **kwargs)

    def _publish(self, enter: Callable[..., Any]) -> None:
        self._enter = enter

    def _positions_needed(self) -> int:
        options = dict(self._options)
        argnums = options.get("argnums")
        if argnums is None or options.get("argnames") is not None:
            return 0
        listed = (argnums,) if isinstance(argnums, int) else argnums
        return max((n + 1 if n >= 0 else -n for n in listed), default=0)

    def _check_positions(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Arguments asked for by position have to be passed by position."""
        if len(args) >= self._least:
            return
        argnums = dict(self._options)["argnums"]
        names = tuple(getattr(self, "__signature__", inspect.Signature()).parameters)
        listed = (argnums,) if isinstance(argnums, int) else argnums
        for number in listed:
            name = names[number] if -len(names) <= number < len(names) else None
            if name in kwargs:
                raise ArgnumsError(
                    f"argument {number} (`{name}`) of `{self._title()}` is passed by keyword; "
                    f"pass it by position, or ask for argnames={name!r}"
                )
        count = f"{len(args)} positional argument{'s' if len(args) != 1 else ''}"
        raise ArgnumsError(
            f"argnums={argnums!r} but the call of `{self._title()}` has {count}"
        )

    # -- as an object -------------------------------------------------------------------
    def __get__(self, instance: Any, owner: type | None = None) -> CompiledFunction:
        """A compiled method of its own for each instance."""
        if instance is None or self._static_method:
            return self
        from .methods import bound_method

        return bound_method(self, instance)

    def __reduce__(self) -> Any:
        from .pickling import reduced

        return reduced(self)

    def __copy__(self) -> CompiledFunction:
        return self

    def __deepcopy__(self, memo: Any) -> CompiledFunction:
        return self

    def _title(self) -> str:
        return str(getattr(self, "__name__", None) or type(self._fun).__name__)

    def __repr__(self) -> str:
        from .telling import told

        return told(self)


for _method in (CompiledFunction.grad, CompiledFunction.value_and_grad):
    # Marks them for the front end, which meets them in functions that it compiles.
    setattr(_method, "__symgrad_transform__", True)  # noqa: B010


def signature_of(fun: Any, parameters: tuple[Any, ...] | None) -> inspect.Signature:
    """The signature of ``fun``, or one of these positional parameters; an ellipsis among them
    stands for those of ``fun``."""
    if parameters is None:
        return inspect.signature(fun)
    made: list[inspect.Parameter] = []
    for name in parameters:
        if name is Ellipsis:
            made += inspect.signature(fun).parameters.values()
        else:
            made.append(inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY))
    return inspect.Signature(made)
