"""Sample inputs for ops on shapes, indices, products, windows and matrices."""

import numpy as np

from symgrad.ir.indexing import FULL, NEWAXIS, Gather, Mask, Operand, Slice
from symgrad.ir.types import ArrayType
from symgrad.ops.through import Step, at
from symgrad.testing.check_op import Sample, sample

A = np.array([[0.3, -1.2, 2.4], [-0.7, 1.9, -2.2]])
B = np.array([[1.13, 0.83, -1.4], [-0.6, 2.1, 0.9]])
C = np.arange(24.0).reshape(2, 3, 4) % 7 - 2.6
Q = np.array([[3.1, 0.4, -0.7], [0.2, 2.5, 0.6], [-0.5, 0.3, 4.2]])
SPD = Q @ Q.T
V = np.array([0.4, -1.3, 2.2])
IMAGES = np.cos(np.arange(80.0)).reshape(2, 2, 4, 5)
WEIGHT = np.sin(1 + np.arange(24.0)).reshape(3, 2, 2, 2)
REPEATED = np.array([2, 0, 2])
DOUBLE, INT = np.dtype(np.float64), np.dtype(np.intp)
POOL = {"window": (2, 2), "stride": (1, 2)}


def axes(kind: str, which: tuple[int, ...]) -> Step:
    """A view by axes."""
    return Step(kind, (("axes", which),))


SAMPLES: dict[str, list[Sample]] = {
    # shape and dtype
    "reshape": [sample(A, 3, 2), sample(A, 6), sample(np.float64(2.0), 1, 1)],
    "flatten": [sample(A)],
    "contiguous": [sample(A)],
    "ravel": [sample(A), sample(V)],
    "transpose": [sample(A, axes=(1, 0)), sample(C, axes=(2, 0, 1))],
    "expand_dims": [sample(A, axes=(0, 2))],
    "squeeze": [sample(A[:, :1], axes=(1,)), sample(A[:1, :1], axes=(0, 1))],
    "broadcast_to": [sample(V, 2, 3), sample(A[:, :1], 2, 3)],
    "copy": [sample(A)],
    "astype": [sample(A, dtype=np.dtype(np.complex128)), sample(A, dtype=INT)],
    "joined": [sample(np.float64(1.5), type=ArrayType(DOUBLE, ()))],
    "boxed": [sample(np.float64(1.5))],
    "asarray": [sample(1.5, dtype=DOUBLE), sample(2, dtype=INT)],
    "item": [sample(np.float64(1.5), kind="float"), sample(np.float64(2.5), kind="int")],
    "array": [
        sample(V, V + 1, shape=(2,), dtype=DOUBLE),
        sample(1.5, np.float64(2.0), 3, 0.1, shape=(2, 2), dtype=DOUBLE),
    ],
    # creation
    "zeros": [sample(2, 3, dtype=DOUBLE)],
    "ones": [sample(2, 3, dtype=DOUBLE)],
    "empty": [sample(0, 3, dtype=DOUBLE)],
    "zeros_like": [sample(A), sample(A, dtype=INT)],
    "ones_like": [sample(A)],
    "empty_like": [sample(A[:0])],
    "full": [sample(1.5, 2, 3, dtype=DOUBLE)],
    "full_like": [sample(A, 1.5), sample(A, np.float64(0.5))],
    "arange": [
        sample(0, 5, 1, dtype=INT), sample(7, 2, -2, dtype=INT),
        sample(0.25, 3.0, 0.5, dtype=DOUBLE),
    ],
    "linspace": [
        sample(0.5, 2.0, 4, dtype=DOUBLE), sample(0.5, 2.0, 4, dtype=DOUBLE, endpoint=False),
    ],
    "eye": [sample(3, 4, 1, dtype=DOUBLE), sample(3, 3, 0, dtype=DOUBLE)],
    "tril_indices": [sample(4, -1, 4), sample(3, 0, 5)],
    "triu_indices": [sample(4, 1, 4)],
    # indices
    "index": [
        sample(C, index=(1,)), sample(C, index=(FULL, Slice(None, -1), Slice(3, None, -2))),
        sample(C, 1, 2, index=(Operand(0), Slice(None, Operand(1)), NEWAXIS)),
    ],
    "gather": [
        sample(A, np.array([1, 0, 1]), index=(Gather(0),)), sample(A, A > 0, index=(Mask(0),)),
        sample(C, np.array([0, 1]), np.array([1, 1]), index=(Gather(0), FULL, Gather(1))),
    ],
    "store": [
        sample(A, V, index=(1,)), sample(A, B, REPEATED[:2], index=(FULL, Slice(None, 3))),
        sample(A, 1.5, A > 0, index=(Mask(0),)), sample(Q, Q + 1, REPEATED, index=(Gather(0),)),
    ],
    "add_store": [
        sample(A, V, index=(1,)), sample(Q, Q + 1, REPEATED, index=(Gather(0),)),
        sample(C, C[:, [1, 1]], np.array([1, 1]), index=(FULL, Gather(0))),
    ],
    "store_view": [
        sample(A, V[:2], path=(axes("transpose", (1, 0)),), index=(1,)),
        sample(A, B[:, 0], 1, path=(at((FULL, Slice(1))),), index=(FULL, Operand(0))),
        sample(
            C, 1.5, 1, index=(0,),
            path=(at((Operand(0),)), axes("expand_dims", (0,)), axes("transpose", (0, 2, 1))),
        ),
        sample(Q, Q[::-1] + 1, REPEATED, path=(at((Slice(None, None, -1),)),), index=(Gather(0),)),
        sample(A[:1], V, path=(axes("squeeze", (0,)),), index=()),
    ],
    "strided": [sample(A.reshape(-1), offset=1, shape=(2, 2), strides=(3, -1))],
    "view_of": [
        sample(A, 1, path=(axes("transpose", (1, 0)), at((Operand(0),)))),
        sample(C, path=(at((1, FULL, Slice(None, None, 2))), axes("expand_dims", (0,)))),
    ],
    "sum_rows": [sample(Q, REPEATED, 4), sample(V, REPEATED, 3)],
    "take_along_axis": [
        sample(A, np.array([[0, 2], [1, 1]]), axis=1), sample(A, np.array([[1, 0, 1]]), axis=0),
    ],
    "sort": [sample(A, axis=1), sample(V, axis=0)],
    "argsort": [sample(A, axis=1)],
    "nonzero": [sample(A > 0)],
    "flatnonzero": [sample(A > 0)],
    "argwhere": [sample(A > 0)],
    "searchsorted": [sample(np.array([0.0, 1.0, 2.0]), V), sample(V[:0], V, side="right")],
    "unique": [sample(REPEATED)],
    "unique_places": [sample(V)],
    "bin_counts": [sample(REPEATED, 5)],
    "bin_sums": [sample(REPEATED, V, 5)],
    # joining, repeating, moving
    "concatenate": [sample(A, B, axis=0), sample(A, B[:, :1], A, axis=1)],
    "stack": [sample(A, B, axis=0), sample(A, B, A, axis=2)],
    "tile": [sample(A, 2, 3)],
    "repeat": [sample(A, 2, axis=1)],
    "roll": [sample(A, 1, axes=(1,)), sample(A, 1, -4, axes=(0, 1))],
    "pad": [sample(A, 0, 1, 2, 0, 1), sample(V, 1.5, 2, 0)],
    "pad_turned": [
        sample(A, 1, 3, 0, 4, mode="reflect"), sample(V, 7, 2, mode="symmetric"),
        sample(V[:1], 2, 1, mode="reflect"),
    ],
    "padded_places": [sample(4, 2, 1, mode="reflect")],
    "repeated_places": [sample(3, np.array([1, 0, 2]))],
    # products
    "matmul": [
        sample(A, B.T), sample(A, V), sample(V, Q), sample(V, V + 1), sample(C, C[0].T),
        sample(C, C.transpose(0, 2, 1)), sample(C, C[0, 0]), sample(V, C), sample(A, C),
    ],
    "tensordot": [
        sample(A, B, axes=((0,), (0,))), sample(C, C[0], axes=((2, 1), (1, 0))),
        sample(A, V, axes=((), ())),
    ],
    "einsum": [
        sample(A, B, subscripts="ij,kj->ik"), sample(Q, subscripts="ii->i"),
        sample(Q, V, subscripts="ii,j->j"), sample(A, B, subscripts="ij,kl->"),
        sample(A, B.T, A, subscripts="ij,jk,kl->il"),
    ],
    # windows and images
    "sliding_window_view": [
        sample(A, window=(2,), axes=(1,)), sample(C, window=(2, 3), axes=(2, 1)),
    ],
    "overlap_add": [sample(np.stack([A, B], -1), np.ones((2, 4)), window=(2,), axes=(1,))],
    "conv2d": [
        sample(IMAGES, WEIGHT),
        sample(IMAGES, WEIGHT, stride=(2, 1), padding=(1, 2), dilation=(1, 2)),
        sample(IMAGES, np.concatenate([WEIGHT[:, :1]] * 2), groups=2),
    ],
    "conv2d_input_grad": [sample(np.ones((2, 3, 3, 4)), WEIGHT, IMAGES)],
    "conv2d_weight_grad": [sample(IMAGES[:, [0, 1, 1], :3, :4], IMAGES, WEIGHT)],
    "avg_pool2d": [sample(IMAGES, **POOL), sample(IMAGES, **POOL, padding=(1, 0))],
    "avg_pool2d_grad": [sample(IMAGES[:, :, :3, :2], IMAGES, **POOL)],
    "max_pool2d": [sample(IMAGES, **POOL), sample(IMAGES, **POOL, padding=(1, 1))],
    "max_pool2d_places": [sample(IMAGES, **POOL)],
    "next_snapshot": [sample(7, 2), sample(1, 3), sample(5, 0)],
    "pool_gather": [sample(IMAGES, np.arange(8).reshape(2, 2, 1, 2))],
    "pool_scatter": [sample(IMAGES[..., 0, :2, None], np.ones((2, 2, 2, 1), int), IMAGES)],
    # activations
    "relu": [sample(A)],
    "logistic": [sample(A), sample(1000 * A[:, :2])],
    "logistic_slope": [sample(A)],
    "erf": [sample(A)],
    "one_plus_erf": [sample(A)],
    # matrices
    "diagonal": [sample(Q), sample(A, offset=-1), sample(C, offset=1, axis1=2, axis2=0)],
    "diag": [sample(V), sample(V, k=-2)],
    "tril": [sample(A, 0), sample(C, -1)],
    "triu": [sample(A, 1)],
    "norm": [sample(V), sample(A, axis=(1,)), sample(A, axis=(0,), keepdims=True)],
}  # fmt: skip
