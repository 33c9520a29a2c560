"""Functions as people write and wrap them."""

# ruff: noqa
import numpy as np

from .registry import add as _add, softmax as _softmax


def s01_inner_def(x):
    def cubed(z):
        return z * z * z

    return cubed(x) - cubed(2.0 * x)


_add(
    id="S01",
    kind="source",
    origin="google/tangent#77",
    refusal_ok=True,
    title="function defined inside the function",
    fn=s01_inner_def,
    args=lambda: (2.0,),
    expected=[-84.0],
)


def s03_shape_unpacking(x):
    count = np.shape(x)[0]
    rows, cols = x.shape
    table = np.ones((3, count))
    table[0] = np.sum(x, axis=1)
    table[2] = x[:, cols - 1] * rows
    return np.sum(table * np.array([[1.0], [5.0], [3.0]]))


_add(
    id="S03",
    kind="source",
    origin="google/tangent#19",
    title="array sizes taken from shapes, tuple unpacking",
    fn=s03_shape_unpacking,
    args=lambda: (np.arange(6.0).reshape(2, 3),),
    expected=[np.array([[1.0, 1.0, 7.0], [1.0, 1.0, 7.0]])],
)


def s05_keyword_operands(x):
    return np.log(np.sum(a=np.exp(x), axis=0))


_add(
    id="S05",
    kind="source",
    origin="HIPS/autograd#336",
    title="differentiable operand passed to NumPy by keyword",
    fn=s05_keyword_operands,
    args=lambda: (np.array([0.0, 1.0, -1.0]),),
    expected=lambda x: [_softmax(x)],
)

_add(
    id="S07",
    kind="source",
    origin="google/tangent#10, google/tangent#75",
    title="function without reachable source (REPL, exec, C extension)",
    recipe="Make a function with exec('def f(t):\\n    return 2*t*t', ns) and compile ns['f']; "
    "do the same from `python -c`, from `python -` on stdin, and for math.sin and "
    "np.linalg.norm themselves. Each must either work (slope 12 at 3 for f) or raise the "
    "tool's own error that names the function and says its source cannot be read. No "
    "bare OSError/TypeError, and never another function's source.",
)

_add(
    id="S09",
    kind="source",
    origin="python/cpython#102647, uqfoundation/dill#221",
    title="decorator whose arguments hold brackets and a lambda",
    recipe="Define `@deco([3, 4], key=lambda z: z - 1)` on a function f(x)=x**3 where deco "
    "returns the function unchanged, below or above the compile decorator; on some "
    "Pythons inspect.getsource stops at the decorator line. f'(2) must be 12 (or a "
    "clear refusal), for both decorator orders and with a decorator spread over "
    "several lines.",
    recipe_check=lambda: 3 * 2**2 == 12,
)

_add(
    id="S11",
    kind="source",
    origin="jax-ml/jax#1426, numba/numba#8359",
    title="closure cells and module globals that change after compilation",
    recipe="Module global SCALE = 2.0 and f(x) = SCALE*x*x, compiled. f'(1) = 4. Set SCALE = "
    "5.0: f'(1) must be 10 together with f(1) = 5 (Python's rule), or the docs must "
    "say that globals are frozen AND value and gradient must agree. Same for a "
    "closure made in a loop, `fs = [make(k) for k in (1., 2., 3.)]` with make "
    "returning an inner def that uses k: slopes 2k at 1 must be 2, 4, 6, i.e. the "
    "cache must not be keyed on the source text or code object alone.",
    recipe_check=lambda: 2 * 2.0 == 4 and 2 * 5.0 == 10,
)
