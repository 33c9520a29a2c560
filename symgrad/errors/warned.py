"""The warnings."""

from __future__ import annotations


class SymgradWarning(UserWarning):
    """Base of symgrad's warnings.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("error", sg.SymgradWarning)
        ...     sg.grad(lambda x: 3.0)(1.0)
        Traceback (most recent call last):
            ...
        symgrad.errors.ConstantOutputWarning: the result of `lambda` does not ...
    """


class ConstantOutputWarning(SymgradWarning):
    """``grad`` of a function whose result does not depend on any of the arguments that it is
    differentiated by: the gradient is zero.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("error")
        ...     sg.grad(lambda x: 3.0)(1.0)
        Traceback (most recent call last):
            ...
        symgrad.errors.ConstantOutputWarning: the result of `lambda` does not ...
    """


class UnusedParameterWarning(SymgradWarning):
    """A loss does not depend on a parameter of the model that it is differentiated by: the
    gradient is zero.

    Example:
        >>> import warnings
        >>> used, unused = nn.Parameter(np.ones(2)), nn.Parameter(np.ones(2))
        >>> step = nn.value_and_grad(nn.ParameterList([used, unused]), lambda: np.sum(used * 1))
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("error")
        ...     step()
        Traceback (most recent call last):
            ...
        symgrad.errors.UnusedParameterWarning: the loss does not depend on `1`: ...
    """


class RecompileWarning(SymgradWarning):
    """One function has been specialised unusually often.

    Example:
        >>> import warnings
        >>> f = sg.compile(lambda x, n: x * n, static_argnums=1)
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("error")
        ...     for n in range(1, 40):
        ...         _ = f(1.0, n)
        Traceback (most recent call last):
            ...
        symgrad.errors.RecompileWarning: `<lambda>` has been compiled for 32 ...
    """
