"""The error tree. Every class is also the builtin that users of other libraries catch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..source import Span


class SymgradError(Exception):
    """Base of everything symgrad raises on purpose.

    Args:
        message: what was met, what was expected, what to write instead.
        span: the user's code it is about; file, line and caret are added to the text.

    Example:
        >>> try:
        ...     sg.grad(lambda x: x**2)(np.ones(3))
        ... except sg.SymgradError as error:
        ...     print(error.message)
        `grad` needs a scalar result, `lambda` returned float64[x_0]; sum it...
    """

    def __init__(self, message: str, span: Span | None = None) -> None:
        super().__init__(f"{message}\n{span.caret()}" if span is not None else message)
        self.message = message
        self.span = span
        if span is not None:
            self.filename: str | None = span.source.filename
            self.lineno: int | None = span.line


class UnsupportedSyntaxError(SymgradError, SyntaxError):
    """A construct outside the supported language, with the nearest supported form.

    Example:
        >>> def f(x):
        ...     return 1 + (yield x)
        >>> sg.compile(f)(1.0)
        Traceback (most recent call last):
            ...
        symgrad.errors.UnsupportedSyntaxError: `yield` within an expression cannot be compiled; ...
    """

    def __init__(self, message: str, span: Span | None = None) -> None:
        super().__init__(message, span)
        if span is not None:  # as Python prints a syntax error, with the line and a caret
            self.msg = message
            self.text, self.offset = span.source.line(span.line), span.column + 1
            self.end_lineno, self.end_offset = span.end_line, span.end_column + 1

    def __str__(self) -> str:
        return str(self.args[0])


class SourceUnavailableError(SymgradError, OSError):
    """The function's source text cannot be found, or is not that of the running code.

    Example:
        >>> scope = {}
        >>> exec("def f(x): return 2 * x", scope)
        >>> sg.compile(scope["f"])(1.0)
        Traceback (most recent call last):
            ...
        symgrad.errors.SourceUnavailableError: no source for `f` (<string>:1); ...
        >>> sg.compile(scope["f"], source="def f(x): return 2 * x")(1.0)
        2.0
    """

    def __str__(self) -> str:
        return str(self.args[0])


class UnsupportedFunctionError(SymgradError, NotImplementedError):
    """A call to a function that has no entry in the op table.

    Example:
        >>> sg.compile(lambda x: np.busday_count(x, x))(np.ones(3))
        Traceback (most recent call last):
            ...
        symgrad.errors.UnsupportedFunctionError: `numpy.busday_count` has no ...
    """


class UnknownLengthError(UnsupportedFunctionError):
    """An array's shape has to be known, and cannot be said for arguments of any lengths.

    Example:
        >>> issubclass(errors.UnknownLengthError, errors.UnsupportedFunctionError)
        True
    """


class NotDifferentiableError(SymgradError, TypeError):
    """A derivative was asked for where the result does not depend smoothly on the input.

    Example:
        >>> sg.grad(lambda x: np.sum(x.astype(int)) * 1.0, strict=True)(np.ones(3))
        Traceback (most recent call last):
            ...
        symgrad.errors.NotDifferentiableError: the result of `lambda` does not ...
    """


class NonScalarOutputError(SymgradError, TypeError):
    """``grad`` of a function whose result is not one real number.

    Example:
        >>> sg.grad(lambda x: x**2)(np.ones(3))
        Traceback (most recent call last):
            ...
        symgrad.errors.NonScalarOutputError: `grad` needs a scalar result, ...
        >>> sg.grad(lambda x: np.sum(x**2))(np.ones(3))
        array([2., 2., 2.])
        >>> sg.jacrev(lambda x: x**2)(np.ones(3))
        array([[2., 0., 0.],
               [0., 2., 0.],
               [0., 0., 2.]])
    """


class InputTypeError(SymgradError, TypeError):
    """An argument of a type that cannot be differentiated or compiled.

    Example:
        >>> sg.grad(lambda x: x**2)(3)
        Traceback (most recent call last):
            ...
        symgrad.errors.InputTypeError: argument 0 (`x`) is a Python int; pass a ...
        >>> sg.grad(lambda x: x**2)(3.0)
        6.0
    """


class ArgnumsError(SymgradError, TypeError):
    """``argnums`` or ``argnames`` that do not fit the call.

    Example:
        >>> sg.grad(lambda x: x**2, argnums=1)(3.0)
        Traceback (most recent call last):
            ...
        symgrad.errors.ArgnumsError: argnums=1 but the call of `<lambda>` has 1 ...
    """


class CallError(SymgradError, TypeError):
    """A call whose arguments do not fit the function's parameters.

    Example:
        >>> sg.compile(lambda x: np.sum(x, axes=0))(np.ones(3))
        Traceback (most recent call last):
            ...
        symgrad.errors.CallError: `np.sum(x, axes=0)` does not fit the function: ...
    """


class AuxError(SymgradError, TypeError):
    """``has_aux=True`` and a result that is not a pair.

    Example:
        >>> sg.grad(lambda x: x**2, has_aux=True)(3.0)
        Traceback (most recent call last):
            ...
        symgrad.errors.AuxError: with has_aux=True `lambda` has to return (value, ...
        >>> sg.grad(lambda x: (x**2, "aux"), has_aux=True)(3.0)
        (6.0, 'aux')
    """


class UnusedInputError(SymgradError, RuntimeError):
    """``autograd.grad`` by a value that the outputs do not depend on.

    Example:
        >>> def f(x, y):
        ...     return sg.autograd.grad(2 * x, (x, y))
        >>> sg.compile(f)(1.0, 2.0)
        Traceback (most recent call last):
            ...
        symgrad.errors.UnusedInputError: the outputs do not depend on input 1 ...
    """


class CustomRuleError(SymgradError, RuntimeError):
    """A derivative rule of the user's that does not return what it should.

    ``index`` is the position of the gradient or argument it is about, if it is about one.

    Example:
        >>> @sg.custom_vjp
        ... def f(x):
        ...     return x
        >>> f.defvjp(lambda x: (x, None), lambda kept, g: (np.sum(g),))
        >>> sg.grad(lambda x: np.sum(f(x)))(np.ones(3))
        Traceback (most recent call last):
            ...
        symgrad.errors.CustomRuleError: the vjp of `f`: the gradient of argument ...
    """

    index: int | None = None


class SavedValueError(SymgradError, RuntimeError):
    """What a rule of the user's has saved is read when it is gone, or has changed since.

    Example:
        >>> class Leaky(sg.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         Leaky.ctx = ctx
        ...         return x
        >>> _ = Leaky.apply(1.0)
        >>> Leaky.ctx.saved_arrays
        Traceback (most recent call last):
            ...
        symgrad.errors.SavedValueError: `Leaky` has returned, and what its ...
    """


class DoubleBackwardError(SymgradError, RuntimeError):
    """A second derivative through a rule that has only the first.

    Example:
        >>> class Step(sg.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return x
        ...
        ...     @staticmethod
        ...     @sg.once_differentiable
        ...     def backward(ctx, g):
        ...         return g
        >>> sg.grad(lambda x: Step.apply(x))(2.0)
        1.0
        >>> sg.grad(sg.grad(lambda x: Step.apply(x) ** 2))(2.0)
        Traceback (most recent call last):
            ...
        symgrad.errors.DoubleBackwardError: there is no second derivative through ...
    """


class TreeStructureError(SymgradError, ValueError):
    """Two nested structures that should be alike are not.

    Example:
        >>> sg.jvp(lambda x: x**2, (3.0,), (1.0, 1.0))
        Traceback (most recent call last):
            ...
        symgrad.errors.TreeStructureError: there are 1 primals but 2 tangents...
    """


class ShapeError(SymgradError, ValueError):
    """Shapes that do not fit together.

    Example:
        >>> sg.compile(lambda x, y: x + y)(np.ones(3), np.ones(2))
        Traceback (most recent call last):
            ...
        symgrad.errors.ShapeError: shapes (3) and (2) cannot be broadcast together...
    """


class IndexingError(ShapeError, IndexError):
    """An index that does not fit an array.

    Example:
        >>> sg.compile(lambda x: x[0, 3])(np.ones(2))
        Traceback (most recent call last):
            ...
        symgrad.errors.IndexingError: too many indices: ...
    """


class DTypeError(SymgradError, TypeError):
    """Data types that do not fit together.

    Example:
        >>> sg.compile(lambda xs: xs * 2.5)([1.0, 2.0])
        Traceback (most recent call last):
            ...
        symgrad.errors.DTypeError: `*` does not work on a list of 2 and 2.5: ...
        >>> sg.compile(lambda xs: np.array(xs) * 2.5)([1.0, 2.0])
        array([2.5, 5. ])
    """


class OptionError(SymgradError, ValueError):
    """A value of an argument that NumPy does not know, or not there.

    Example:
        >>> sg.compile(lambda x: np.add(x, x, order="Q"))(np.ones(2))
        Traceback (most recent call last):
            ...
        symgrad.errors.OptionError: np.add: order must be C, F, A or K, got 'Q'...
    """


class AliasError(SymgradError, ValueError):
    """A write whose effect on other names cannot be decided when compiling.

    Example:
        >>> def f(x):
        ...     kept = seen = [v for v in x]
        ...     if x[0] > 0:
        ...         kept = [2 * v for v in x]
        ...     kept.append(x[0])
        ...     return len(seen)
        >>> sg.compile(f)(np.ones(2))
        Traceback (most recent call last):
            ...
        symgrad.errors.AliasError: ...may or may not be the same object...
    """


class UnboundVariableError(SymgradError, UnboundLocalError):
    """A variable that may be read before it is assigned.

    Example:
        >>> sg.compile(lambda x: x + undefined)(1.0)
        Traceback (most recent call last):
            ...
        symgrad.errors.UnboundVariableError: the name `undefined` is not defined...
    """


class GradcheckError(SymgradError, AssertionError, RuntimeError):
    """A derivative that does not agree with its reference.

    Example:
        >>> @sg.custom_jvp
        ... def f(x):
        ...     return x**2
        >>> f.defjvps(lambda t, out, x: 3 * x * t)
        >>> testing.gradcheck(f, (2.0,))
        Traceback (most recent call last):
            ...
        symgrad.errors.GradcheckError: gradcheck: the derivative of result 0 by ...
    """


class InternalError(SymgradError, RuntimeError):
    """A fault of symgrad itself; the text holds the IR with the spot marked.

    ``spot`` is the op or region that it was found at; ``shown`` says that the text has the IR.

    Example:
        >>> issubclass(errors.InternalError, RuntimeError)
        True
    """

    def __init__(
        self,
        message: str,
        span: Span | None = None,
        *,
        spot: Any = None,
        shown: bool = False,
    ) -> None:
        super().__init__(message, span)
        self.spot = spot
        self.shown = shown


class GradientError(SymgradError, RuntimeError):
    """A gradient that a parameter cannot have, or none where one is asked for.

    Example:
        >>> nn.backward(lambda x: np.sum(x), np.ones(2))
        Traceback (most recent call last):
            ...
        symgrad.errors.GradientError: `lambda` reads no parameter that requires a ...
    """


class HookError(SymgradError, RuntimeError):
    """A hook that returns something of the wrong form.

    Example:
        >>> module = nn.Linear(2, 2)
        >>> handle = module.register_full_backward_hook(lambda module, before, after: 3.0)
        >>> x = np.ones((1, 2), np.float32)
        >>> nn.backward(lambda x: np.sum(module(x)), x)
        Traceback (most recent call last):
            ...
        symgrad.errors.HookError: a backward hook of Linear has to return None or ...
    """


class ParameterNameError(SymgradError, KeyError):
    """A name under which a module cannot register anything.

    Example:
        >>> nn.Module().register_parameter("a.b", None)
        Traceback (most recent call last):
            ...
        symgrad.errors.ParameterNameError: the name of a parameter cannot contain ...
    """

    def __str__(self) -> str:
        return str(self.args[0])


class StateDictError(SymgradError, RuntimeError):
    """A state that does not fit the module; nothing has been copied.

    ``missing`` and ``unexpected`` are names, ``mismatched`` maps a name to what is wrong.

    Example:
        >>> nn.Linear(2, 2).load_state_dict({"weight": np.ones((2, 2))})
        Traceback (most recent call last):
            ...
        symgrad.errors.StateDictError: the state does not fit Linear; nothing has ...
    """

    missing: tuple[str, ...] = ()
    unexpected: tuple[str, ...] = ()
    mismatched: tuple[tuple[str, str], ...] = ()


class NonFiniteGradientError(SymgradError, RuntimeError):
    """Gradients that are infinite or nan where this was to be an error.

    Example:
        >>> with sg.debug_nans(), np.errstate(all="ignore"):
        ...     sg.grad(lambda x: np.sum(np.sqrt(x)))(np.zeros(2))
        Traceback (most recent call last):
            ...
        symgrad.errors.NonFiniteGradientError: `<lambda>`: the first infinity ...
    """


class FileFormatError(SymgradError, ValueError):
    """A file that is no safetensors file, is damaged, or was written by something newer.

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "broken")
        ...     open(path, "wb").close()
        ...     sg.load(path)
        Traceback (most recent call last):
            ...
        symgrad.errors.FileFormatError: ...
    """


class MissingToolError(SymgradError, RuntimeError):
    """An optional library or program is needed and not there; says which, and how to get it.

    Example:
        >>> issubclass(errors.MissingToolError, RuntimeError)
        True
    """
