"""The error tree. Every class is also the builtin that users of other libraries catch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .source import Span


class SymgradError(Exception):
    """Base of everything symgrad raises on purpose.

    Args:
        message: what was met, what was expected, what to write instead.
        span: the user's code it is about; file, line and caret are added to the text.
    """

    def __init__(self, message: str, span: Span | None = None) -> None:
        super().__init__(f"{message}\n{span.caret()}" if span is not None else message)
        self.message = message
        self.span = span
        if span is not None:
            self.filename: str | None = span.source.filename
            self.lineno: int | None = span.line


class UnsupportedSyntaxError(SymgradError, SyntaxError):
    """A construct outside the supported language, with the nearest supported form."""

    def __init__(self, message: str, span: Span | None = None) -> None:
        super().__init__(message, span)
        if span is not None:  # as Python prints a syntax error, with the line and a caret
            self.msg = message
            self.text, self.offset = span.source.line(span.line), span.column + 1
            self.end_lineno, self.end_offset = span.end_line, span.end_column + 1

    def __str__(self) -> str:
        return str(self.args[0])


class SourceUnavailableError(SymgradError, OSError):
    """The function's source text cannot be found, or is not that of the running code."""

    def __str__(self) -> str:
        return str(self.args[0])


class UnsupportedFunctionError(SymgradError, NotImplementedError):
    """A call to a function that has no entry in the op table."""


class UnknownLengthError(UnsupportedFunctionError):
    """An array's shape has to be known, and cannot be said for arguments of any lengths."""


class NotDifferentiableError(SymgradError, TypeError):
    """A derivative was asked for where the result does not depend smoothly on the input."""


class NonScalarOutputError(SymgradError, TypeError):
    """``grad`` of a function whose result is not one real number."""


class InputTypeError(SymgradError, TypeError):
    """An argument of a type that cannot be differentiated or compiled."""


class ArgnumsError(SymgradError, TypeError):
    """``argnums`` or ``argnames`` that do not fit the call."""


class CallError(SymgradError, TypeError):
    """A call whose arguments do not fit the function's parameters."""


class AuxError(SymgradError, TypeError):
    """``has_aux=True`` and a result that is not a pair."""


class UnusedInputError(SymgradError, RuntimeError):
    """``autograd.grad`` by a value that the outputs do not depend on."""


class CustomRuleError(SymgradError, RuntimeError):
    """A derivative rule of the user's that does not return what it should.

    ``index`` is the position of the gradient or argument it is about, if it is about one.
    """

    index: int | None = None


class SavedValueError(SymgradError, RuntimeError):
    """What a rule of the user's has saved is read when it is gone, or has changed since."""


class DoubleBackwardError(SymgradError, RuntimeError):
    """A second derivative through a rule that has only the first."""


class TreeStructureError(SymgradError, ValueError):
    """Two nested structures that should be alike are not."""


class ShapeError(SymgradError, ValueError):
    """Shapes that do not fit together."""


class DTypeError(SymgradError, TypeError):
    """Data types that do not fit together."""


class AliasError(SymgradError, ValueError):
    """A write whose effect on other names cannot be decided when compiling."""


class UnboundVariableError(SymgradError, UnboundLocalError):
    """A variable that may be read before it is assigned."""


class GradcheckError(SymgradError, AssertionError, RuntimeError):
    """A derivative that does not agree with its reference."""


class InternalError(SymgradError, RuntimeError):
    """A fault of symgrad itself; the text holds the IR with the spot marked.

    ``spot`` is the op or region that it was found at; ``shown`` says that the text has the IR.
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
    """A gradient that a parameter cannot have, or none where one is asked for."""


class HookError(SymgradError, RuntimeError):
    """A hook that returns something of the wrong form."""


class ParameterNameError(SymgradError, KeyError):
    """A name under which a module cannot register anything."""

    def __str__(self) -> str:
        return str(self.args[0])


class StateDictError(SymgradError, RuntimeError):
    """A state that does not fit the module; nothing has been copied.

    ``missing`` and ``unexpected`` are names, ``mismatched`` maps a name to what is wrong.
    """

    missing: tuple[str, ...] = ()
    unexpected: tuple[str, ...] = ()
    mismatched: tuple[tuple[str, str], ...] = ()


class NonFiniteGradientError(SymgradError, RuntimeError):
    """Gradients that are infinite or nan where this was to be an error."""


class FileFormatError(SymgradError, ValueError):
    """A file that is no safetensors file, is damaged, or was written by something newer."""


class MissingToolError(SymgradError, RuntimeError):
    """An optional library or program is needed and not there; says which, and how to get it."""


class SymgradWarning(UserWarning):
    """Base of symgrad's warnings."""


class ConstantOutputWarning(SymgradWarning):
    """``grad`` of a function whose result does not depend on any of the arguments that it is
    differentiated by: the gradient is zero."""


class UnusedParameterWarning(SymgradWarning):
    """A loss does not depend on a parameter of the model that it is differentiated by: the
    gradient is zero."""


class RecompileWarning(SymgradWarning):
    """One function has been specialised unusually often."""
