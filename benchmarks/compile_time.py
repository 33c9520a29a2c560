#!/usr/bin/env python3
"""How long symgrad takes to compile, how that grows, and what a call costs.

    python compile_time.py                  everything
    python compile_time.py --quick          the growth up to 500 statements only

Times are CPU seconds of this process, the best of a few runs, from the plain function to the
first result of its gradient (the run itself included, which is short for these sizes). The first
function compiled in a process also pays for importing the compiler; that is a line of its own.
"""

import argparse
import importlib.util
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(1, str(HERE.parent))  # symgrad from this checkout


def ten_lines(w1, b1, w2, b2, x, y):
    h = np.tanh(x @ w1 + b1)
    z = h @ w2 + b2
    z = z - np.max(z, axis=1, keepdims=True)
    e = np.exp(z)
    p = e / np.sum(e, axis=1, keepdims=True)
    r = p - y
    fit = np.mean(r**2)
    size = np.sum(w1**2) + np.sum(w2**2)
    decay = 0.5 * size
    return fit + 1e-3 * decay


def ten_line_inputs():
    rng = np.random.default_rng(0)
    shapes = ((4, 5), (5,), (5, 3), (3,), (6, 4), (6, 3))
    return [rng.standard_normal(shape) for shape in shapes]


def two_floats(a, b):
    return a * b + a


def six_arrays(a, b, c, d, e, f):
    return a[0] + b[0] + c[0] + d[0] + e[0] + f[0]


# ---------------------------------------------------------------- measuring
def cpu(function):
    """The function's result and the CPU seconds it took."""
    start = time.process_time()
    result = function()
    return result, time.process_time() - start


def best(function, runs=5):
    return min(cpu(function)[1] for _ in range(runs))


def compile_seconds(sg, function, args, argnums, runs=5):
    """CPU seconds from the function to its first gradient; a new compiled function each time."""
    return best(lambda: sg.value_and_grad(function, argnums=argnums)(*args), runs)


def straight_line(statements, folder):
    """A function of that many statements, each of which matters, from a file of its own."""
    ops = (
        "{0} * 0.5 + x",
        "np.sin({0}) - 0.1 * {1}",
        "{0} * {1} + 0.3",
        "np.tanh({0}) + {1}",
    )
    lines = [
        "import numpy as np",
        "",
        "",
        "def f(x):",
        "    v0 = x * 1.5",
        "    v1 = np.cos(x)",
    ]
    for k in range(2, statements):
        right = ops[k % len(ops)].format(f"v{k - 1}", f"v{k - 2}")
        lines.append(f"    v{k} = {right}")
    lines.append(f"    return np.sum(v{statements - 1})")
    path = Path(folder, f"straight_line_{statements}.py")
    path.write_text("\n".join(lines) + "\n")
    return load(path).f


def load(path):
    """The module in that file."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def growth(sg, sizes):
    """Seconds for straight-line functions of these sizes; each gradient is checked."""
    x = np.linspace(0.1, 0.9, 5)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            f = straight_line(size, folder)
            (_, g), seconds = cpu(lambda f=f: sg.value_and_grad(f)(x))
            step = 1e-6 * np.array([1, -2, 3, 1, 2.0])
            wanted = (f(x + step) - f(x - step)) / 2
            error = abs(g @ step - wanted) / abs(wanted)
            assert error < 1e-5, f"wrong gradient of {size} statements: error {error:.0e}"
            rows.append((size, seconds))
    return rows


def per_call(functions, args, calls, rounds=9):
    """CPU seconds of one call of each function, measured in turns."""
    seconds = [[] for _ in functions]
    for _ in range(rounds):
        for function, found in zip(functions, seconds, strict=True):
            start = time.process_time()
            for _ in range(calls):
                function(*args)
            found.append((time.process_time() - start) / calls)
    return [min(found) for found in seconds]


def emitted_function(lowered, folder):
    """The emitted function by itself, from an exported module."""
    path = Path(folder, "emitted.py")
    lowered.export(path)
    module = load(path)
    return getattr(module, module.__all__[0])


def dispatch(sg, function, args, calls):
    """Seconds of a call of the compiled function, and of the emitted function directly."""
    compiled = sg.value_and_grad(function, argnums=tuple(range(len(args))))
    compiled(*args)
    with tempfile.TemporaryDirectory() as folder:
        emitted = emitted_function(compiled.lower(*args), folder)
    return per_call([compiled, emitted], args, calls)


# ---------------------------------------------------------------- the report
def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    quick = parser.parse_args().quick

    sg, import_seconds = cpu(lambda: __import__("symgrad"))
    print(f"import symgrad after numpy       {import_seconds * 1e3:9.1f} ms")
    args = ten_line_inputs()
    first = compile_seconds(sg, ten_lines, args, (0, 1, 2, 3), runs=1)
    print(f"ten lines, first in the process  {first * 1e3:9.1f} ms")
    seconds = compile_seconds(sg, ten_lines, args, (0, 1, 2, 3))
    print(f"ten lines                        {seconds * 1e3:9.1f} ms")

    import workloads

    workloads.bind_symgrad()
    r1 = workloads.WORKLOADS["w5"]
    r1_args = r1.inputs(**r1.small)
    for label, function in (("", r1.function), (" (nn.functional)", r1.variants["nn"])):
        seconds = compile_seconds(sg, function, r1_args, r1.argnums, runs=2)
        print(f"R1 penalty{label:23s}{seconds * 1e3:9.1f} ms")

    sizes = (125, 250, 500) if quick else (125, 250, 500, 1000, 2000)
    for size, seconds in growth(sg, sizes):
        each = seconds / size * 1e3
        print(
            f"{size:5d} statements                 {seconds * 1e3:9.1f} ms, {each:.2f} each"
        )

    cases = (
        ("two floats", two_floats, (1.5, 2.5)),
        ("six arrays", six_arrays, [np.ones(3)] * 6),
    )
    for label, function, values in cases:
        called, direct = dispatch(sg, function, values, 2_000 if quick else 20_000)
        extra = (called - direct) * 1e6
        print(
            f"a call, {label:24s} {called * 1e6:9.2f} µs, {extra:.2f} above the emitted code"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
