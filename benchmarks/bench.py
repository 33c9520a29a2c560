#!/usr/bin/env python3
"""Value and gradient of a dozen workloads: symgrad against NumPy written by hand, and peers.

    python bench.py                        every workload, every contender
    python bench.py w1 w6 --budget 5       two workloads, 5 s of timing for each
    python bench.py --contenders handwritten,symgrad --json out.json
    python bench.py --self-test            check the handwritten gradients against differences

The method.  Each workload runs in a process of its own, pinned to one core, every library set
to one thread.  What is measured is the *CPU time* of the process, which other programs on the
machine distort far less than wall-clock time.  Contenders take turns in blocks of about 50 ms,
forwards and then backwards through the list, until the budget is used; the figure is the median
over the blocks, the spread is their interquartile range.  Ratios are to the handwritten NumPy
of the same run: compare ratios, not seconds, and take what differs by less than the spread for
a tie.  The process keeps the memory it has freed: otherwise the page faults for new arrays, up
to half of the time, would depend on what ran before.

Before timing, each contender's value and gradients are compared with the handwritten ones; a
wrong one is reported and not timed.  `first call` is the CPU time from the plain function to the
first result, imports not included: for symgrad that is compiling.  `lines` is
the length of the generated source.  `peak` is the most memory that Python and NumPy hold during
one call, beyond the arguments.  A contender that is missing or fails is listed with its error.
Exit status: 1 if a contender gave a wrong result, else 0.

Only NumPy is needed (SciPy for w12); symgrad, autograd, jax and torch are measured if installed.
"""

import argparse
import gc
import importlib
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))  # symgrad from this checkout

CONTENDERS = (
    "handwritten",
    "value only",
    "symgrad",
    "symgrad:numba",
    "autograd",
    "jax",
    "torch",
)
BLOCK = 0.05  # seconds of one block
SLOW = 0.5  # a call longer than this (s) is a block by itself, and gets 4 blocks at most
IN_NUMPY = (
    "handwritten",
    "value only",
    "symgrad",
    "symgrad:nn",
)  # tracemalloc sees their arrays


# ---------------------------------------------------------------- contenders (in the child)
def build(contender, name, args):
    """A function such that function(*args) gives (value, gradients), and its arguments."""
    from handwritten import HANDWRITTEN
    from workloads import WORKLOADS, bind_symgrad

    if contender == "handwritten":
        return HANDWRITTEN[name], args
    workload = WORKLOADS[name]
    if contender == "value only":
        return workload.function, args[:-1] if workload.order == "hvp" else args
    if not contender.startswith("symgrad"):
        import peers

        return peers.contender(contender, name, args)
    sg = bind_symgrad()
    label = contender.partition(":")[2]
    options = {"backend": "numba"} if label == "numba" else {}
    if workload.program:
        return sg.compile(workload.program, **options), args
    function = workload.variants.get(label, workload.function)
    if options:
        function = sg.compile(function, **options)
    return sg.value_and_grad(function, argnums=workload.argnums), args


def contenders_of(name, chosen):
    """The chosen contenders after the handwritten one, with other spellings after symgrad."""
    from workloads import WORKLOADS

    out = ["handwritten"]
    for contender in chosen:
        if contender != "handwritten":
            out.append(contender)
        if contender == "symgrad":
            out += [f"symgrad:{label}" for label in WORKLOADS[name].variants]
    return out


def generated_source(function, args):
    """The text symgrad generated, or None."""
    for get in (lambda: function.source, lambda: function.lower(*args).source):
        try:
            text = get()
        except Exception:  # the other way may do; a missing length is shown as such
            continue
        if isinstance(text, str):
            return text
    return None


def import_library(contender, workload):
    """Import what a contender needs, so that its first call does not pay for that."""
    for module in workload.needs:
        importlib.import_module(module)
    inside = contender == "value only" and workload.derivative_inside
    if contender.startswith("symgrad") or inside:
        sys.modules["workloads"].bind_symgrad()
    elif contender not in IN_NUMPY:
        importlib.import_module(contender)


# ---------------------------------------------------------------- checking
def to_numpy(x):
    import numpy as np

    return np.asarray(x.detach() if hasattr(x, "detach") else x)  # a torch tensor


def as_list(gradients):
    return list(gradients) if isinstance(gradients, (tuple, list)) else [gradients]


class WrongResult(Exception):
    """A value or gradient that is not the handwritten one, or arguments changed."""


def check_result(record, contender, result, reference, tolerance):
    """Compare with the reference; put the worst relative error and remarks into the record."""
    import numpy as np

    if contender == "value only":
        result, reference = (result, ()), (reference[0], ())
    got = [result[0], *as_list(result[1])]
    wanted = [reference[0], *as_list(reference[1])]
    if len(got) != len(wanted):
        raise WrongResult(f"{len(got) - 1} gradients instead of {len(wanted) - 1}")
    errors, dtypes = [], {}
    for k, (x, y) in enumerate(zip(got, wanted, strict=True)):
        x, y = to_numpy(x), to_numpy(y)
        what = f"gradient {k}" if k else "value"
        if x.shape != y.shape:
            raise WrongResult(f"{what} has shape {x.shape} instead of {y.shape}")
        if k and x.dtype != y.dtype:
            dtypes.setdefault(f"{x.dtype} instead of {y.dtype}", []).append(str(k))
        x, y = x.astype(np.float64), y.astype(np.float64)
        errors.append(float(np.max(np.abs(x - y)) / max(1e-300, np.max(np.abs(y)))))
        if not errors[-1] <= tolerance:  # a nan is wrong, too
            raise WrongResult(
                f"{what} has error {errors[-1]:.1e}, more than {tolerance:.0e}"
            )
    record["error"] = max(errors)
    record["notes"] = [f"gradients {', '.join(ks)}: {text}" for text, ks in dtypes.items()]


def unchanged(args, originals):
    import numpy as np

    return all(
        np.array_equal(to_numpy(a), to_numpy(b))
        for a, b in zip(args, originals, strict=True)
    )


# ---------------------------------------------------------------- measuring (in the child)
class Deadline:
    """Raises TimeoutError in the block if it takes longer than `seconds`."""

    def __init__(self, seconds):
        self.seconds = seconds

    def __enter__(self):
        def alarm(*_):
            raise TimeoutError(f"no result after {self.seconds:g} s")

        if hasattr(signal, "SIGALRM"):
            signal.signal(signal.SIGALRM, alarm)
            signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def __exit__(self, *_):
        if hasattr(signal, "SIGALRM"):
            signal.setitimer(signal.ITIMER_REAL, 0)


def first_line(exception):
    text = str(exception).strip().splitlines()
    return f"{type(exception).__name__}: {text[0]}" if text else type(exception).__name__


def first_call(contender, name, reference, timeout):
    """Build a contender, call it, check it.  Returns (record, function, args, result)."""
    from workloads import WORKLOADS

    workload = WORKLOADS[name]
    record = {"workload": name, "contender": contender, "status": "ok", "notes": []}
    try:
        import_library(contender, workload)
        args = workload.inputs()
        with Deadline(timeout):
            start = time.process_time()
            function, call_args = build(contender, name, args)
            result = function(*call_args)
            record["first_call_s"] = time.process_time() - start
        if not unchanged(args, workload.inputs()):
            raise WrongResult("its arguments were changed")
        if reference is not None:
            check_result(record, contender, result, reference, workload.tolerance)
        if contender.startswith("symgrad"):  # the second call takes the cached way
            check_result(
                record, contender, function(*call_args), reference, workload.tolerance
            )
            source = record["source"] = generated_source(function, call_args)
            record["source_lines"] = (
                len(source.splitlines()) if source is not None else None
            )
        return record, function, call_args, result
    except WrongResult as wrong:
        record["status"], record["message"] = "wrong", str(wrong)
    except Exception as exception:  # anything may go wrong in a contender: it is reported
        record["status"] = "missing" if isinstance(exception, ImportError) else "error"
        record["message"] = first_line(exception)
    return record, None, None, None


def seconds_per_call(function, args):
    """Wall-clock time of the faster of two calls: to size the blocks."""
    best = float("inf")
    for _ in range(2):
        start = time.perf_counter()
        function(*args)
        best = min(best, time.perf_counter() - start)
        if best > SLOW:
            break
    return best


def block(function, args, estimate):
    """CPU time of one call: the mean over a block, after a warming call."""
    if estimate < SLOW:
        function(*args)
    calls = range(max(1, int(BLOCK / max(estimate, 1e-8))))
    start = time.process_time()
    for _ in calls:
        function(*args)
    return (time.process_time() - start) / len(calls)


def interleave(entries, budget):
    """CPU times of all entries (function, args), block by block in turn."""
    estimates = [seconds_per_call(*entry) for entry in entries]
    samples = [[] for _ in entries]
    start, rounds = time.perf_counter(), 0
    while rounds < 3 or (time.perf_counter() - start < budget and rounds < 25):
        order = range(len(entries))
        for k in order if rounds % 2 == 0 else reversed(order):
            if estimates[k] > SLOW and len(samples[k]) >= 4:
                continue
            time.sleep(0.002)  # lets idle threads of another library go to sleep
            samples[k].append(block(*entries[k], estimates[k]))
        gc.collect()
        rounds += 1
    return samples


def peak_bytes(function, args):
    gc.collect()
    tracemalloc.start()
    try:
        function(*args)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def measure(name, contenders, budget, timeout, progress):
    """All records of one workload; `progress` holds the name of the contender at work."""
    records, entries, reference = [], {}, None
    for contender in contenders:
        progress.write_text(contender)
        record, function, args, result = first_call(contender, name, reference, timeout)
        records.append(record)
        if function is not None:
            entries[contender] = (function, args)
        if contender == "handwritten":
            reference = result
            if result is None:  # nothing to compare the others with
                return records + [
                    {**record, "contender": other} for other in contenders[1:]
                ]
    progress.write_text("all")
    del reference, result
    samples = dict(zip(entries, interleave(list(entries.values()), budget), strict=True))
    base = statistics.median(samples["handwritten"])
    for record in records:
        contender = record["contender"]
        if contender not in samples:
            continue
        ordered = sorted(samples[contender])
        median = statistics.median(ordered)
        quarter = len(ordered) // 4
        record["seconds"] = median
        record["ratio"] = median / base
        record["spread"] = (ordered[-1 - quarter] - ordered[quarter]) / median
        record["blocks"] = len(ordered)
        if contender in IN_NUMPY:
            record["peak_bytes"] = peak_bytes(*entries[contender])
    return records


# ---------------------------------------------------------------- the child process
def child_environment(scratch):
    env = dict(os.environ)
    for library in ("OMP_NUM", "OPENBLAS_NUM", "MKL_NUM", "NUMBA_NUM", "VECLIB_MAXIMUM"):
        env[f"{library}_THREADS"] = "1"
    env.setdefault("MALLOC_MMAP_THRESHOLD_", str(32 << 20))  # glibc: keep what is freed
    env.setdefault("MALLOC_TRIM_THRESHOLD_", str(4 << 30))
    env["JAX_PLATFORMS"] = "cpu"
    env["JAX_ENABLE_X64"] = "1"
    env["XDG_CACHE_HOME"] = env["NUMBA_CACHE_DIR"] = (
        scratch  # no first call from a disk cache
    )
    return env


def pin(core):
    """Keep this process on one core; the last one allowed unless told."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0)) if core is None else core})


def run_child(name, contenders, options):
    """Measure one workload in a process of its own; if a contender ends it, do without that one."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, __file__, name, "--child", scratch]
        command += ["--contenders", ",".join(contenders)]
        command += ["--budget", str(options.budget), "--timeout", str(options.timeout)]
        if options.core is not None:
            command += ["--core", str(options.core)]
        done = subprocess.run(command, env=child_environment(scratch), stdout=sys.stderr)
        if done.returncode == 0:
            return json.loads(Path(scratch, "records.json").read_text())
        progress = Path(scratch, "progress")
        culprit = progress.read_text() if progress.exists() else "all"
    message = f"its process ended with status {done.returncode}"
    record = {"workload": name, "contender": culprit, "status": "error", "message": message}
    others = [c for c in contenders if c != culprit]
    if culprit in ("all", "handwritten") or len(others) == len(contenders):
        return [{**record, "contender": c} for c in contenders]
    return [*run_child(name, others, options), record]


# ---------------------------------------------------------------- command line
def parse():
    from workloads import WORKLOADS

    def contenders(text):
        chosen = [c.strip() for c in text.split(",") if c.strip()]
        known = {
            *CONTENDERS,
            *(f"symgrad:{v}" for w in WORKLOADS.values() for v in w.variants),
        }
        unknown = [c for c in chosen if c not in known]
        if unknown:
            raise argparse.ArgumentTypeError(
                f"{unknown[0]!r}; known: {', '.join(CONTENDERS)}"
            )
        return chosen

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    listing = ", ".join(WORKLOADS)
    parser.add_argument(
        "workloads", nargs="*", metavar="WORKLOAD", help=f"default: {listing}"
    )
    parser.add_argument("--contenders", type=contenders, default=list(CONTENDERS),
                        help=f"comma-separated; default: {','.join(CONTENDERS)}")  # fmt: skip
    parser.add_argument(
        "--budget", type=float, default=10, help="seconds of timing a workload"
    )
    parser.add_argument(
        "--timeout", type=float, default=300, help="limit of a first call, s"
    )
    parser.add_argument(
        "--core", type=int, help="core to use; default: the last one allowed"
    )
    parser.add_argument("--json", metavar="FILE", help="write all records there as well")
    parser.add_argument(
        "--self-test", action="store_true", help="check the handwritten gradients"
    )
    parser.add_argument("--child", metavar="FOLDER", help=argparse.SUPPRESS)
    options = parser.parse_args()
    unknown = [name for name in options.workloads if name not in WORKLOADS]
    if unknown:
        parser.error(f"no workload {unknown[0]!r}; known: {listing}")
    options.workloads = options.workloads or list(WORKLOADS)
    return options


def main():
    options = parse()
    if options.self_test:
        import selftest

        return selftest.main(options.workloads)
    if options.child:
        pin(options.core)
        (name,) = options.workloads
        scratch = Path(options.child)
        records = measure(
            name, options.contenders, options.budget, options.timeout, scratch / "progress"
        )
        (scratch / "records.json").write_text(json.dumps(records))
        return 0
    from report import report

    records = []
    for name in options.workloads:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        records += run_child(name, contenders_of(name, options.contenders), options)
        if options.json:
            Path(options.json).write_text(json.dumps(records, indent=1))
    report(records, CONTENDERS)
    return 1 if any(r["status"] == "wrong" for r in records) else 0


if __name__ == "__main__":
    sys.exit(main())
