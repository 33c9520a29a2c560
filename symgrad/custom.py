"""Derivative rules of the user's own.

``custom_vjp`` and ``custom_jvp`` give a function a rule, ``Function`` is the same as a class with
``forward`` and ``backward``, ``def_rule`` gives a rule to a library function, and ``elementwise``
registers one by a formula. Rules are compiled like any code, so what they compute is simplified,
shared, and differentiated again. Where they are not differentiated, the functions run as they
are.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .errors import ArgnumsError, CustomRuleError, InputTypeError
from .runtime.api import positions
from .runtime.contexts import FIELDS, Context

Rule = Callable[..., Any]


class _Custom:
    """A function and its rule."""

    kind: Any = ""

    def __init__(
        self,
        fun: Callable[..., Any],
        nondiff_argnums: int | Sequence[int] = (),
        shape: Rule | None = None,
    ) -> None:
        if not callable(fun):
            raise InputTypeError(
                f"`custom_{self.kind}` needs a function, not {type(fun).__name__}"
            )
        functools.update_wrapper(self, fun)
        self.fun = fun
        self.shape = shape
        self.forward: Rule | None = None
        self.backward: Rule | None = None
        self.__signature__ = inspect.signature(fun)
        self.nondiff_argnums = self._aside(nondiff_argnums)

    def _aside(self, given: int | Sequence[int]) -> tuple[int, ...]:
        listed = self.__signature__.parameters.values()
        positional = [
            p for p in listed if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
        many = any(p.kind is p.VAR_POSITIONAL for p in listed)
        count = len(positional)
        found = positions(given, "nondiff_argnums")
        for n in found:
            if n < -count or n >= count and not many:
                plural = "" if count == 1 else "s"
                raise ArgnumsError(
                    f"nondiff_argnums={given!r} but `{self.fun.__name__}` has {count} "
                    f"argument{plural}"
                )
        return tuple(n % count if n < 0 else n for n in found)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._complete()
        return self.fun(*args, **kwargs)

    def _complete(self) -> None:
        if self.forward is None:
            name = getattr(self.fun, "__name__", "function")
            method = f"def{self.kind}"
            raise CustomRuleError(
                f"`{name}` has no rule yet; give it one with `{name}.{method}(...)`"
            )

    @property
    def __symgrad_custom__(self) -> Any:
        from .frontend.requests import CustomRule

        self._complete()
        name = getattr(self.fun, "__name__", "function")
        return CustomRule(
            self.kind,
            name,
            self.fun,
            self.forward,
            self.backward,
            self.nondiff_argnums,
            self.shape,
        )


class custom_vjp(_Custom):  # noqa: N801  (used as a decorator)
    """A function with a reverse rule of its own.

    Args:
        fun: the function.
        nondiff_argnums: positions of arguments that the rule is not about.
        shape: what the function returns if it cannot be compiled; see ``Function``.

    Example:
        >>> @sg.custom_vjp
        ... def clip_gradient(x, limit):
        ...     return x
        >>> clip_gradient.defvjp(
        ...     lambda x, limit: (x, limit),
        ...     lambda limit, g: (np.clip(g, -limit, limit), None),
        ... )
    """

    kind = "vjp"

    def defvjp(self, fwd: Rule, bwd: Rule) -> None:
        """Give the rule.

        Args:
            fwd: takes the arguments of the function and returns ``(output, residuals)``.
            bwd: takes the arguments in ``nondiff_argnums``, residuals and the cotangent, and
                returns a tuple with a gradient for each other argument: like it in shape and
                dtype, or None for zero.
        """
        self.forward, self.backward = _code("defvjp", fwd), _code("defvjp", bwd)


class custom_jvp(_Custom):  # noqa: N801
    """A function with a forward rule of its own; reverse mode is its transpose.

    Args:
        fun: the function.
        nondiff_argnums: positions of arguments that the rule is not about.
        shape: what the function returns if it cannot be compiled; see ``Function``.

    Example:
        >>> @sg.custom_jvp
        ... def f(x):
        ...     return np.abs(x)
        >>> f.defjvps(lambda t, out, x: t * np.tanh(100 * x))
    """

    kind = "jvp"

    def defjvp(self, jvp: Rule) -> Rule:
        """Give the rule: ``jvp(*nondiff, primals, tangents)`` returns ``(output, tangent)`` and
        is linear in the tangents. Also a decorator."""
        self.forward = _code("defjvp", jvp)
        return jvp

    def defjvps(self, *jvps: Rule | None) -> None:
        """Give the rule one argument at a time: ``jvp(t, out, *args)`` for each, None for zero;
        the tangent is their sum."""
        if self.nondiff_argnums:
            raise CustomRuleError("`defjvps` goes without nondiff_argnums; use `defjvp`")
        fun = self.fun
        if not any(jvp is not None for jvp in jvps):
            raise CustomRuleError("`defjvps` needs a rule for one argument at least")
        for rule in jvps:
            _code("defjvps", rule or fun)

        def jvp(primals: Any, tangents: Any) -> Any:
            out = fun(*primals)
            total = None
            for i in range(len(jvps)):
                if jvps[i] is not None:
                    part = jvps[i](tangents[i], out, *primals)  # type: ignore[misc]
                    total = part if total is None else total + part
            return out, total

        self.forward = jvp


class Function:
    """A function with a reverse rule, as a class; called as ``F.apply(...)``.

    ``forward(ctx, *args)`` computes the output and keeps in ``ctx`` what ``backward(ctx, *g)``
    needs; that returns one gradient for each argument, None for what has none.
    ``ctx.needs_input_grad`` says which arguments are real or complex; a gradient that nobody asks
    for is not computed whether ``backward`` looks there or not. With ``setup_context(ctx,
    inputs, output)`` defined, ``forward`` has no ``ctx``.

    The rule holds at every order: ``backward`` is differentiated like any code, and so is what
    ``forward`` saves besides its arguments and outputs. A rule may call its own function: that
    many derivatives there are as transforms around the call take, and 4 (or the attribute
    ``orders`` of the class) by ``autograd.grad``. ``jvp(ctx, *tangents)`` is the rule for
    forward mode, where the transpose of ``backward`` (called ``vjp``, if you like) does not
    serve; there may be ``jvp`` alone.

    Code that cannot be compiled, such as a call into C, runs as it is. Then there is no second
    derivative, and ``forward`` is tried out on made-up arguments when compiling to see what it
    returns, unless ``shape(*args)`` says so: it gets arrays like the arguments and returns
    ``sg.spec(shape, dtype)``, or a tuple of these.

    Example:
        >>> class Square(sg.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x**2
        ...
        ...     @staticmethod
        ...     def backward(ctx, g):
        ...         (x,) = ctx.saved_arrays
        ...         return 2 * x * g
    """

    __symgrad_context__ = Context
    __symgrad_fields__ = FIELDS
    __symgrad_as_is__ = ""  # what ``forward`` calls that is never compiled
    setup_context: Any = None
    shape: Any = None
    forward: Any
    backward: Any = None
    vjp: Any = None
    jvp: Any = None

    def __init__(self) -> None:
        raise CustomRuleError(
            f"`{type(self).__name__}` is not made into an object; call "
            f"`{type(self).__name__}.apply(...)`"
        )

    @classmethod
    def __symgrad_forward__(cls) -> Any:
        found = getattr(cls, "forward", None)
        if found is None:
            raise CustomRuleError(
                f"`{cls.__name__}` has no `forward`; define a static method "
                "`forward(ctx, *args)` that computes the output"
            )
        return found

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """The output of ``forward``, with ``backward`` as its derivative."""
        ctx, forward = Context(), cls.__symgrad_forward__()
        vars(ctx).update(FIELDS, needs_input_grad=tuple(map(_is_inexact, args)))
        if cls.setup_context is not None:
            output = forward(*args, **kwargs)
            cls.setup_context(ctx, args, output)
        else:
            output = forward(ctx, *args, **kwargs)
        if ctx.saves > 1:
            from .frontend.rules.functions import check_saved

            check_saved(cls.__name__, ctx.saves, (), bool)
        ctx.__symgrad_release__(cls.__name__)
        return output


def once_differentiable(backward: Rule) -> Rule:
    """Decorator of a ``backward``: it is not differentiated again, which a second derivative
    would do; that is refused instead.

    Example:
        >>> class Step(sg.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return np.round(x)
        ...
        ...     @staticmethod
        ...     @sg.once_differentiable
        ...     def backward(ctx, g):
        ...         return g
    """
    function: Any = backward.__func__ if isinstance(backward, staticmethod) else backward
    if not callable(function):
        raise InputTypeError(
            f"`once_differentiable` needs a function, not {type(backward).__name__}"
        )
    function.__symgrad_once__ = True
    return backward


_applied: Any = vars(Function)["apply"].__func__
_applied.__symgrad_verb__ = "apply"


def _code(verb: str, rule: Any) -> Rule:
    """A rule, which has to be a function."""
    if not callable(rule):
        raise InputTypeError(f"`{verb}` needs functions, not {type(rule).__name__}")
    return rule  # type: ignore[no-any-return]


def _is_inexact(x: Any) -> bool:
    return (
        isinstance(x, float | complex)
        or getattr(x, "dtype", None) is not None
        and (x.dtype.kind in "fc")
    )


def unbroadcast(g: Any, like: Any) -> Any:
    """``g`` summed over the axes that broadcasting has added to ``like``: the gradient by an
    argument of a rule that broadcasts, whose gradients have to have its arguments' shapes.

    Args:
        g: an array of the shape that ``like`` was broadcast to.
        like: an array or a number.

    Raises:
        ValueError: ``like`` cannot be broadcast to the shape of ``g``.

    Example:
        >>> @sg.custom_vjp
        ... def plus(x, y):
        ...     return x + y
        >>> plus.defvjp(
        ...     lambda x, y: (x + y, (x, y)),
        ...     lambda kept, g: tuple(sg.unbroadcast(g, like) for like in kept),
        ... )
        >>> sg.grad(lambda y: np.sum(plus(np.ones((3, 2)), y)))(np.ones(2))
        array([3., 3.])
    """
    shape, axes = np.shape(like), []
    added = np.ndim(g) - len(shape)
    fits = added >= 0
    for i in range(len(shape)):
        if fits and shape[i] != np.shape(g)[added + i]:
            fits = shape[i] == 1
            axes.append(i)
    if not fits:
        raise ValueError(f"unbroadcast: {shape} cannot be broadcast to {np.shape(g)}")
    if added:
        g = np.sum(g, axis=tuple(range(added)))
    return np.sum(g, axis=tuple(axes), keepdims=True) if axes else g


# ----------------------------------------------------------------------- library functions
def def_rule(
    function: Callable[..., Any],
    *,
    vjp: Rule | None = None,
    jvp: Rule | None = None,
    shape: Rule | None = None,
) -> None:
    """Give a library function a derivative of your own, for all code that is compiled from now
    on.

    Args:
        function: a NumPy or SciPy function, or any other. One that symgrad does not know is
            called as it is; ``elementwise`` teaches one of numbers in one line.
        vjp: ``vjp(g, out, *args)`` returns the gradient of the argument, or a tuple with one for
            each (None for zero).
        jvp: ``jvp(primals, tangents)`` returns ``(output, tangent)``. With one of the two, the
            other mode is its transpose.
        shape: what a function that symgrad does not know returns, as in ``Function``: from
            arrays like the arguments to ``sg.spec(shape, dtype)`` or a tuple of these. Without
            it the function is tried out when compiling.

    Example:
        >>> def measured(x):
        ...     return np.frompyfunc(lambda v: 3 * v, 1, 1)(x).astype(float)
        >>> sg.def_rule(measured, vjp=lambda g, out, x: 3 * g, shape=lambda x: sg.spec(x.shape))
        >>> sg.grad(lambda x: np.sum(measured(x)))(np.ones(2))
        array([3., 3.])
    """
    from .frontend.requests import CustomRule
    from .frontend.rules.customs import RULES
    from .runtime.dispatch import forget_all

    name = getattr(function, "__name__", str(function))
    if vjp is None and jvp is None:
        raise CustomRuleError(
            f"def_rule({name}): give `vjp` or `jvp`; the other mode is its transpose"
        )
    if not callable(function):
        raise InputTypeError(f"`def_rule` needs a function, not {type(function).__name__}")
    for rule in (vjp, jvp):
        if rule is not None:
            _code("def_rule", rule)
    RULES[function] = CustomRule("numpy", name, function, jvp, vjp, shape=shape)
    forget_all()


def elementwise(
    function: Callable[..., Any], derivative: Any, *, inputs: str = "x"
) -> None:
    """Teach an elementwise library function by its derivative; both modes and every order
    follow.

    Args:
        function: such as ``scipy.special.erf``; generated code calls it by the name under which
            its module has it.
        derivative: a formula in the names of ``inputs`` and ``out``, as text or a SymPy
            expression; for several inputs a dict with one for each.
        inputs: names of the arguments, separated by blanks.

    Example:
        >>> sg.elementwise(scipy.special.erf, "2/sqrt(pi)*exp(-x**2)")
    """
    from .ops import TABLE
    from .ops.elementwise import elementwise as define
    from .ops.elementwise import ufunc_rule
    from .runtime.dispatch import forget_all

    module, name = _importable(function)
    names = inputs.split()
    formulas = derivative if isinstance(derivative, Mapping) else {names[0]: derivative}
    unknown = set(formulas) - set(names)
    if unknown:
        raise CustomRuleError(f"elementwise({name}): there is no input {min(unknown)!r}")
    texts = {x: _formula(name, given, names) for x, given in formulas.items()}
    unique, k = name, 1
    while unique in TABLE:
        unique, k = f"{name}_{k}", k + 1
    like = np.sqrt if len(names) == 1 else np.arctan2
    define(
        unique,
        inputs=inputs,
        emit=f"{module}.{name}({', '.join(names)})",
        derivative=texts,
        infer=ufunc_rule(function if isinstance(function, np.ufunc) else like),
        calls=(function,),
        math_name="",
        imports=(f"import {module}",),
        doc=f"{module}.{name}, taught by the user",
    )
    forget_all()


def _importable(function: Any) -> tuple[str, str]:
    name = getattr(function, "__name__", "")
    module = getattr(function, "__module__", None) or _module_of(function, name)
    try:
        found = getattr(importlib.import_module(module), name, None)
    except ImportError:
        found = None
    if found is not function:
        raise CustomRuleError(
            f"elementwise: {function!r} cannot be imported by its name; generated code has to "
            "call it"
        )
    return module, name


def _module_of(function: Any, name: str) -> str:
    """Where a ufunc, which does not say, comes from."""
    import sys

    for module in ("numpy", "scipy.special"):
        if getattr(sys.modules.get(module), name, None) is function:
            return module
    return ""


def _formula(name: str, given: Any, inputs: Sequence[str]) -> str:
    """A derivative in the words of the op table."""
    from .ops import formula, symbolic

    written = given
    try:
        if isinstance(given, str):
            given = symbolic.parse(given, [*inputs, "out"])
        text = symbolic.formula(given)
    except (AttributeError, SyntaxError, TypeError, ValueError) as error:
        raise CustomRuleError(
            f"elementwise({name}): {written!r} is no formula in {', '.join(inputs)} and out"
        ) from error
    known = {*inputs, "out"}
    free = {str(s) for s in given.free_symbols} - known
    if free:
        raise CustomRuleError(
            f"elementwise({name}): {min(free)!r} in the derivative is no input; the inputs are "
            f"{', '.join(inputs)}"
        )
    if not symbolic.has_ops(given):
        raise CustomRuleError(f"elementwise({name}): {text!r} has a function that is no op")
    try:
        formula.parse(text)
    except ValueError as error:
        raise CustomRuleError(f"elementwise({name}): {error}") from None
    return text


__all__ = [
    "Context",
    "Function",
    "custom_jvp",
    "custom_vjp",
    "def_rule",
    "elementwise",
    "once_differentiable",
    "unbroadcast",
]
