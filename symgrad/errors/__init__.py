"""The error tree. Every class is also the builtin that users of other libraries catch.

``tree`` has the errors, ``warned`` the warnings.
"""

from .tree import (
    AliasError,
    ArgnumsError,
    AuxError,
    CallError,
    CustomRuleError,
    DoubleBackwardError,
    DTypeError,
    FileFormatError,
    GradcheckError,
    GradientError,
    HookError,
    IndexingError,
    InputTypeError,
    InternalError,
    MissingToolError,
    NonFiniteGradientError,
    NonScalarOutputError,
    NotDifferentiableError,
    ParameterNameError,
    SavedValueError,
    ShapeError,
    SourceUnavailableError,
    StateDictError,
    SymgradError,
    TreeStructureError,
    UnboundVariableError,
    UnknownLengthError,
    UnsupportedFunctionError,
    UnsupportedSyntaxError,
    UnusedInputError,
)
from .warned import (
    ConstantOutputWarning,
    RecompileWarning,
    SymgradWarning,
    UnusedParameterWarning,
)

__all__ = [
    "AliasError",
    "ArgnumsError",
    "AuxError",
    "CallError",
    "ConstantOutputWarning",
    "CustomRuleError",
    "DTypeError",
    "DoubleBackwardError",
    "FileFormatError",
    "GradcheckError",
    "GradientError",
    "HookError",
    "IndexingError",
    "InputTypeError",
    "InternalError",
    "MissingToolError",
    "NonFiniteGradientError",
    "NonScalarOutputError",
    "NotDifferentiableError",
    "ParameterNameError",
    "RecompileWarning",
    "SavedValueError",
    "ShapeError",
    "SourceUnavailableError",
    "StateDictError",
    "SymgradError",
    "SymgradWarning",
    "TreeStructureError",
    "UnboundVariableError",
    "UnknownLengthError",
    "UnsupportedFunctionError",
    "UnsupportedSyntaxError",
    "UnusedInputError",
    "UnusedParameterWarning",
]

for _name in __all__:
    # People catch them, and read of them in tracebacks, by the name of this room.
    globals()[_name].__module__ = __name__
