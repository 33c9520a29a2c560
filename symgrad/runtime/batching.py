"""``vmap``, and the Jacobians that are made with it: ``jacrev``, ``jacfwd``, ``hessian``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import CallError, InputTypeError
from .api import Argnames, Argnums, derivative_options, make
from .compiled import CompiledFunction


def vmap(fun: Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0) -> CompiledFunction:
    """The function that does for a whole batch what ``fun`` does for one example.

    Args:
        fun: a function of one example; it may loop, branch and be a derivative.
        in_axes: which axis of each argument counts the examples: an integer for all arguments,
            or a tuple with an entry for each. None says that an argument is the same for every
            example; for a container an entry may be nested like it. Arguments passed by keyword
            are batched over axis 0.
        out_axes: where that axis goes in the result, in the same way. None: the result is the
            same for every example.

    Raises:
        ShapeError: arguments with different numbers of examples.

    Example:
        >>> rows = np.array([[3.0, 4.0], [6.0, 8.0]])
        >>> sg.vmap(lambda v: np.sqrt(v @ v))(rows)
        array([ 5., 10.])
    """
    options = {
        "in_axes": _axes("in_axes", in_axes),
        "out_axes": _axes("out_axes", out_axes),
    }
    return make("vmap", fun, options)


def jacrev(
    fun: Callable[..., Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    argnames: Argnames = None,
    holomorphic: bool = False,
    sparse: bool = False,
) -> Any:
    """The Jacobian of ``fun``, in reverse mode: good where there are fewer results than inputs.

    The result has the structure of the result of ``fun``; in the place of each array ``y`` in
    that there is the structure of the argument (a tuple for several ``argnums``), in which an
    array ``x`` became one of shape ``y.shape + x.shape``.

    Args:
        fun: a function whose results are real.
        argnums: which arguments, by position.
        has_aux: ``fun`` returns ``(out, aux)``; the result is ``(jacobian, aux)``.
        argnames: which arguments, by name.
        holomorphic: ``fun`` is a holomorphic function of complex numbers; the result has its
            complex derivatives. Without this, derivatives of real results by complex arguments
            are ``dy/dRe + 1j * dy/dIm``, and those of complex results by real arguments are
            complex.
        sparse: give matrices of ``scipy.sparse`` instead of arrays, of shape ``(y.size,
            x.size)``, with entries only where there may be one. Rows that share no column are
            had in one pass; ``.colors(*args)`` of the result says how many passes it takes. Where
            nothing can be said about the entries, all of them are there.

    Raises:
        MissingToolError: ``sparse`` without SciPy.

    Example:
        >>> sg.jacrev(lambda x: x**2)(np.array([1.0, 3.0]))
        array([[2., 0.],
               [0., 6.]])
    """
    flags = {"has_aux": has_aux, "holomorphic": holomorphic}
    return _jacobian("jacrev", fun, argnums, argnames, flags, sparse)


def jacfwd(
    fun: Callable[..., Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    argnames: Argnames = None,
    holomorphic: bool = False,
    sparse: bool = False,
) -> Any:
    """``jacrev`` in forward mode: good where there are fewer inputs than results. With ``sparse``
    columns that share no row are had in one pass.

    Example:
        >>> sg.jacfwd(lambda x: x**2)(np.array([1.0, 2.0]))
        array([[2., 0.],
               [0., 4.]])
    """
    flags = {"has_aux": has_aux, "holomorphic": holomorphic}
    return _jacobian("jacfwd", fun, argnums, argnames, flags, sparse)


def hessian(
    fun: Callable[..., Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    argnames: Argnames = None,
    holomorphic: bool = False,
    sparse: bool = False,
) -> Any:
    """The second derivatives of ``fun``, forward mode over reverse mode.

    For an array ``x`` the result has the shape ``y.shape + x.shape + x.shape``; structures are
    nested as by ``jacfwd(jacrev(fun))``. With ``sparse`` the result of ``fun`` is one number, and
    there is a matrix of ``scipy.sparse`` for each pair of arrays to differentiate by; a second
    derivative that couples few entries takes few passes. Other arguments are as in ``jacrev``.

    Example:
        >>> sg.hessian(lambda x: x[0] ** 2 * x[1])(np.array([1.0, 3.0]))
        array([[6., 2.],
               [2., 0.]])
    """
    flags = {"has_aux": has_aux, "holomorphic": holomorphic}
    return _jacobian("hessian", fun, argnums, argnames, flags, sparse)


def _jacobian(
    kind: str,
    fun: Any,
    argnums: Any,
    argnames: Argnames,
    flags: dict[str, bool],
    sparse: bool,
) -> Any:
    options = derivative_options(kind, argnums, argnames)
    if sparse:
        if flags["has_aux"]:
            raise CallError(
                f"`{kind}` takes has_aux=True or sparse=True, not both; call the function for "
                "its auxiliary results"
            )
        if flags["holomorphic"]:
            raise CallError(f"`{kind}` takes holomorphic=True or sparse=True, not both")
        from .sparse.jacobian import SparseJacobian

        make(kind, fun, options)  # checks the function
        return SparseJacobian(kind, fun, options)
    return make(kind, fun, {**options, **{k: bool(flag) for k, flag in flags.items()}})


def _axes(what: str, given: Any) -> Any:
    """Axes as they were given, checked; containers copied.

    Raises:
        InputTypeError: something that is no axis.
    """
    if given is None or (isinstance(given, int) and not isinstance(given, bool)):
        return given
    if isinstance(given, tuple | list):
        return tuple(_axes(what, x) for x in given)
    if isinstance(given, dict):
        return {key: _axes(what, x) for key, x in given.items()}
    raise InputTypeError(
        f"{what} is made of integers and None, and tuples, lists and dicts of them; got {given!r}"
    )


for _verb in (vmap, jacrev, jacfwd, hessian):
    # Marks them for the front end, which meets them in functions that it compiles.
    vars(_verb)["__symgrad_transform__"] = True
