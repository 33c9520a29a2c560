"""From a call to the code for its kind of arguments: a function written for the purpose.

``Dispatcher.enter`` has the user's signature and tests type, dtype, rank and lengths of 1 in
line, the newest specialisation first. What no test accepts goes to ``miss``, which compiles.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from ..emit import annotate
from ..errors import (
    AliasError,
    InternalError,
    RecompileWarning,
    SymgradError,
    UnsupportedFunctionError,
)
from ..frontend import counted_from_the_end, key
from ..frontend.names.captures import varying
from ..frontend.sources.getsource import underlying
from .checks import GONE, checks_of, compiled_text
from .conditions import Namespace, is_name
from .depth import with_room
from .logs import log
from .signature import CallShape
from .specialise import Origin, Specialisation, specialise
from .trees import plain_arrays

if TYPE_CHECKING:
    from .compiled import CompiledFunction

INLINE = 16
MANY = 32

_ALIVE: WeakSet[Dispatcher] = WeakSet()
"""Every dispatcher that is in use: what there are rules for is the same for all."""
_ADDING = threading.Lock()


def forget_all() -> None:
    """Forget the code of every function, after a rule of an operation has changed."""
    with _ADDING:
        alive = list(_ALIVE)
    for dispatcher in alive:
        dispatcher.clear()


class Dispatcher:
    """The specialisations of one function, and the function that chooses among them.

    ``publish`` is told each new version of ``enter``.
    """

    def __init__(
        self, origin: Origin, publish: Callable[[Callable[..., Any]], None]
    ) -> None:
        self.origin = origin
        self._publish = publish
        self.specialisations: tuple[Specialisation, ...] = ()
        self._lock = threading.Lock()
        self._locks: dict[Any, threading.RLock] = {}
        self._statics: dict[Any, frozenset[Any]] = {}
        self._renew()
        with _ADDING:
            _ALIVE.add(self)

    def clear(self) -> None:
        """Forget every specialisation."""
        with self._lock:
            self.specialisations = ()
            self._statics.clear()
            self._renew()

    def miss(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Find or make the code for this call, and run it."""
        given = args, kwargs
        args, kwargs = plain_arrays(given)
        found, captured = self.find(args, kwargs)
        if args is not given[0] and any(t.place is None for t in found.lowered.assigned):
            raise AliasError(
                "the function changes a container of its arguments, which hold memory-mapped "
                "arrays: pass np.asarray(array) of these"
            )
        return found.program.call(*args, **kwargs, **captured)

    def find(
        self, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> tuple[Specialisation, dict[str, Any]]:
        """The specialisation for this call, and the objects it captures."""
        kind = key(args, kwargs)
        with self._lock:
            lock = self._locks.setdefault(kind, threading.RLock())
        with lock:
            for candidate in reversed(self.specialisations):
                captured = candidate.admit(*args, **kwargs)
                if captured is not None:
                    return candidate, captured
            return self._compile(kind, args, kwargs)

    def _compile(
        self, kind: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> tuple[Specialisation, dict[str, Any]]:
        statics = self._statics.get(kind) or self.origin.declared(args)
        for earlier in self.specialisations:
            statics |= frozenset(varying(earlier.lowered.guards))
        made = with_room(lambda: specialise(self.origin, args, kwargs, statics))
        found = statics | made.statics
        captured = made.admit(*args, **kwargs)
        if captured is None:
            raise _unfit(made)
        with self._lock:
            self._statics[kind] = found
            self.specialisations = (*self.specialisations, made)
            self._renew()
        log(made, self.origin, len(self.specialisations))
        self._warn()
        return made, captured

    def _warn(self) -> None:
        count = len(self.specialisations)
        if count >= MANY and count & (count - 1) == 0:
            name = getattr(self.origin.request.fun, "__name__", "function")
            message = (
                f"`{name}` has been compiled for {count} kinds of arguments; the last is "
                f"{self.specialisations[-1].key}. An int that changes at each call and has to "
                "be known when compiling, or a new function object at each call, is the usual "
                "cause"
            )
            warnings.warn(message, RecompileWarning, stacklevel=4)

    # -- the generated function ---------------------------------------------------------
    def _renew(self) -> None:
        self.enter = self._write()
        self._publish(self.enter)

    def _write(self) -> Callable[..., Any]:
        shape, name = self.origin.shape, self._name()
        names = Namespace.avoiding(shape.names)
        error, ok = names.prefix + "error", names.prefix + "ok"
        lines = [f"def {name}({shape.parameters(names)}):", "    try:"]
        for made in self.specialisations[: -INLINE - 1 : -1]:
            checks = checks_of(names, shape, made.args, made.kwargs, made.lowered)
            target = names.name(made.program.call)
            action = f"return {target}({shape.forwarded(checks.passed)})"
            branch = checks.branch(names.name(GONE), ok, action)
            lines += [f"        {line}" for line in branch]
        lines += [
            f"        return {names.name(self.miss)}({shape.packed()})",
            f"    except Exception as {error}:",
            f"        {names.name(annotate)}({error})",
            "        raise",
        ]
        return compiled_text(lines, name, names)

    def _name(self) -> str:
        name = getattr(self.origin.request.fun, "__name__", "")
        return name if is_name(name) and name not in self.origin.shape.names else "call"


def dispatcher_for(
    compiled: CompiledFunction, publish: Callable[[Callable[..., Any]], None]
) -> Dispatcher:
    """A dispatcher for what ``compiled`` asks for."""
    request = compiled.__symgrad_request__
    signature = getattr(compiled, "__signature__", None)
    if (
        counted_from_the_end(request)
        or underlying(compiled) is None
        and request.option("parameters") is None
    ):
        signature = (
            None  # a ufunc, a builtin: defaults like ``where=True`` are not passed on
        )
    origin = Origin(
        request=request,
        signature=signature,
        shape=CallShape.of(signature),
        module=getattr(compiled, "__module__", None) or "?",
        debug=request.option("debug", False),
    )
    return Dispatcher(origin, publish)


def _unfit(made: Specialisation) -> SymgradError:
    """What is wrong where code does not fit the call that it has been made for."""
    tried = [op for op in made.program.initial.block.walk() if op.kind.has("shares")]
    if not tried:
        return InternalError(f"code for {made.key} does not fit the call it was made for")
    return UnsupportedFunctionError(
        f"`{tried[0].attrs['name']}` cannot be compiled, so that it was tried out, and by that "
        "changed something that the function reads. Say what it returns with a static method "
        "`shape(*args)`, or let it change nothing",
        tried[0].span,
    )
