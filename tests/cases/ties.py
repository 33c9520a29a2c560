"""Ties and other points without a unique derivative."""

# ruff: noqa
import numpy as np

from .registry import add as _add


def t01_max_pair(x):
    return np.max(x)


_add(
    id="T01",
    kind="ties",
    origin="Theano/Theano#4568, jax-ml/jax#13600, HIPS/autograd#141",
    title="max with two equal maxima: weights must add up to 1",
    fn=t01_max_pair,
    args=lambda: (np.array([2.0, 2.0, 1.0]),),
    expected=[np.array([0.5, 0.5, 0.0])],
    accept=[[np.array([1.0, 0.0, 0.0])], [np.array([0.0, 1.0, 0.0])]],
    check="convex",
    torch="max(): even split; max(dim=0): all to the first",
    jax="even split",
    note="[1,1,0] is not a subgradient. The choice must be documented and the same for "
    "max/min/amax/maximum, axis or not, forward or reverse.",
)


def t03_relu_max(x):
    return np.sum(np.maximum(x, 0.0))


_add(
    id="T03",
    kind="ties",
    origin="jax-ml/jax#37821, pytorch/pytorch#184572",
    title="maximum(x, 0) at 0",
    fn=t03_relu_max,
    args=lambda: (np.array([-1.0, 0.0, 1.0]),),
    expected=[np.array([0.0, 0.5, 1.0])],
    accept=[[np.array([0.0, 0.0, 1.0])], [np.array([0.0, 1.0, 1.0])]],
    check="convex",
    torch="0.5 (maximum); relu gives 0",
    jax="0.5",
)


def t05_clip_self_bound(x):
    y = x * x
    return np.clip(y, -1.0, y)


_add(
    id="T05",
    kind="ties",
    origin="Theano/Theano#633",
    title="clip with the variable itself as a bound",
    fn=t05_clip_self_bound,
    args=lambda: (3.0,),
    expected=[6.0],
    note="The clip does nothing here. What flows through the value and through the bound must "
    "add up to the whole.",
)


def t06_abs_zero(x):
    return np.sum(np.abs(x))


_add(
    id="T06",
    kind="ties",
    origin="jax-ml/jax#37820, HIPS/autograd#100, BVLC/caffe#1326",
    title="absolute value at 0 (and at -0.0)",
    fn=t06_abs_zero,
    args=lambda: (np.array([-2.0, 0.0, -0.0, 3.0]),),
    expected=[np.array([-1.0, 0.0, 0.0, 1.0])],
    accept=[[np.array([-1.0, 1.0, 1.0, 1.0])]],
    want=("finite",),
    check="convex",
    torch="0",
    jax="1",
)


def t08_argmax_pick(x):
    return x[np.argmax(x)] * 3.0


_add(
    id="T08",
    kind="ties",
    origin="jax-ml/jax#13600",
    title="x[argmax(x)] is a plain gather: only the first maximum counts",
    fn=t08_argmax_pick,
    args=lambda: (np.array([1.0, 1.0]),),
    expected=[np.array([3.0, 0.0])],
    check="convex",
    torch="[3,0]",
    jax="[3,0]",
    note="Convex check only shows it is a valid subgradient; the first-index rule is argmax's.",
)
