"""Parts of weather models: horizontal diffusion and vertical advection."""

# ruff: noqa: N806, E741  (the letters that formulas have)
from __future__ import annotations

import numpy as np

from .kernel import Kernel, uniform

BET_M = 0.5 * (1.0 - 0.2)
BET_P = 0.5 * (1.0 + 0.2)
DTR_STAGE = 3.0 / 20.0


def hdiff(in_field, out_field, coeff):
    """Diffusion of fourth order whose fluxes are limited to run downhill."""
    I, J, K = out_field.shape[0], out_field.shape[1], out_field.shape[2]
    lap = 4.0 * in_field[1 : I + 3, 1 : J + 3, :] - (
        in_field[2 : I + 4, 1 : J + 3, :]
        + in_field[0 : I + 2, 1 : J + 3, :]
        + in_field[1 : I + 3, 2 : J + 4, :]
        + in_field[1 : I + 3, 0 : J + 2, :]
    )
    res = lap[1:, 1 : J + 1, :] - lap[:-1, 1 : J + 1, :]
    flx = np.where(
        res * (in_field[2 : I + 3, 2 : J + 2, :] - in_field[1 : I + 2, 2 : J + 2, :]) > 0,
        0,
        res,
    )
    res = lap[1 : I + 1, 1:, :] - lap[1 : I + 1, :-1, :]
    fly = np.where(
        res * (in_field[2 : I + 2, 2 : J + 3, :] - in_field[2 : I + 2, 1 : J + 2, :]) > 0,
        0,
        res,
    )
    out_field[:, :, :] = in_field[2 : I + 2, 2 : J + 2, :] - coeff[:, :, :K] * (
        flx[1:, :, :] - flx[:-1, :, :] + fly[:, 1:, :] - fly[:, :-1, :]
    )


def vadv(utens_stage, u_stage, wcon, u_pos, utens):
    """Implicit advection along the last axis: a tridiagonal system in each column."""
    I, J, K = utens_stage.shape[0], utens_stage.shape[1], utens_stage.shape[2]
    ccol = np.zeros((I, J, K), dtype=utens_stage.dtype)
    dcol = np.zeros((I, J, K), dtype=utens_stage.dtype)
    data_col = np.zeros((I, J), dtype=utens_stage.dtype)

    for k in range(1):
        gcv = 0.25 * (wcon[1:, :, k + 1] + wcon[:-1, :, k + 1])
        cs = gcv * BET_M
        ccol[:, :, k] = gcv * BET_P
        bcol = DTR_STAGE - ccol[:, :, k]
        correction = -cs * (u_stage[:, :, k + 1] - u_stage[:, :, k])
        dcol[:, :, k] = (
            DTR_STAGE * u_pos[:, :, k] + utens[:, :, k] + utens_stage[:, :, k] + correction
        )
        divided = 1.0 / bcol
        ccol[:, :, k] = ccol[:, :, k] * divided
        dcol[:, :, k] = dcol[:, :, k] * divided

    for k in range(1, K - 1):
        gav = -0.25 * (wcon[1:, :, k] + wcon[:-1, :, k])
        gcv = 0.25 * (wcon[1:, :, k + 1] + wcon[:-1, :, k + 1])
        as_ = gav * BET_M
        cs = gcv * BET_M
        acol = gav * BET_P
        ccol[:, :, k] = gcv * BET_P
        bcol = DTR_STAGE - acol - ccol[:, :, k]
        correction = -as_ * (u_stage[:, :, k - 1] - u_stage[:, :, k]) - cs * (
            u_stage[:, :, k + 1] - u_stage[:, :, k]
        )
        dcol[:, :, k] = (
            DTR_STAGE * u_pos[:, :, k] + utens[:, :, k] + utens_stage[:, :, k] + correction
        )
        divided = 1.0 / (bcol - ccol[:, :, k - 1] * acol)
        ccol[:, :, k] = ccol[:, :, k] * divided
        dcol[:, :, k] = (dcol[:, :, k] - dcol[:, :, k - 1] * acol) * divided

    for k in range(K - 1, K):
        gav = -0.25 * (wcon[1:, :, k] + wcon[:-1, :, k])
        as_ = gav * BET_M
        acol = gav * BET_P
        bcol = DTR_STAGE - acol
        correction = -as_ * (u_stage[:, :, k - 1] - u_stage[:, :, k])
        dcol[:, :, k] = (
            DTR_STAGE * u_pos[:, :, k] + utens[:, :, k] + utens_stage[:, :, k] + correction
        )
        divided = 1.0 / (bcol - ccol[:, :, k - 1] * acol)
        dcol[:, :, k] = (dcol[:, :, k] - dcol[:, :, k - 1] * acol) * divided

    for k in range(K - 1, K - 2, -1):
        datacol = dcol[:, :, k]
        data_col[:] = datacol
        utens_stage[:, :, k] = DTR_STAGE * (datacol - u_pos[:, :, k])

    for k in range(K - 2, -1, -1):
        datacol = dcol[:, :, k] - ccol[:, :, k] * data_col[:, :]
        data_col[:] = datacol
        utens_stage[:, :, k] = DTR_STAGE * (datacol - u_pos[:, :, k])


def vadv_args(rng):
    """Slow winds, so that the diagonal of the systems dominates."""
    fields = uniform(rng, (2, 3, 4), (2, 3, 4), (3, 3, 4), (2, 3, 4), (2, 3, 4))
    fields[2] = 0.05 * fields[2]
    return fields


def deriche(alpha, img_in):
    """A smoothing filter: two recurrences along each axis, there and back."""
    k = (1.0 - np.exp(-alpha)) * (1.0 - np.exp(-alpha))
    k /= 1.0 + alpha * np.exp(-alpha) * 2.0 - np.exp(2.0 * alpha) * 0.01
    a1 = a5 = k
    a2 = a6 = k * np.exp(-alpha) * (alpha - 1.0)
    a3 = a7 = k * np.exp(-alpha) * (alpha + 1.0)
    a4 = a8 = -k * np.exp(-2.0 * alpha)
    b1 = 2.0**-alpha
    b2 = -np.exp(-2.0 * alpha)
    c1 = c2 = 1

    y1 = np.empty_like(img_in)
    y1[:, 0] = a1 * img_in[:, 0]
    y1[:, 1] = a1 * img_in[:, 1] + a2 * img_in[:, 0] + b1 * y1[:, 0]
    for j in range(2, img_in.shape[1]):
        y1[:, j] = (
            a1 * img_in[:, j]
            + a2 * img_in[:, j - 1]
            + b1 * y1[:, j - 1]
            + b2 * y1[:, j - 2]
        )

    y2 = np.empty_like(img_in)
    y2[:, -1] = 0.0
    y2[:, -2] = a3 * img_in[:, -1]
    for j in range(img_in.shape[1] - 3, -1, -1):
        y2[:, j] = (
            a3 * img_in[:, j + 1]
            + a4 * img_in[:, j + 2]
            + b1 * y2[:, j + 1]
            + b2 * y2[:, j + 2]
        )
    out = c1 * (y1 + y2)

    y1[0, :] = a5 * out[0, :]
    y1[1, :] = a5 * out[1, :] + a6 * out[0, :] + b1 * y1[0, :]
    for i in range(2, img_in.shape[0]):
        y1[i, :] = (
            a5 * out[i, :] + a6 * out[i - 1, :] + b1 * y1[i - 1, :] + b2 * y1[i - 2, :]
        )

    y2[-1, :] = 0.0
    y2[-2, :] = a7 * out[-1, :]
    for i in range(img_in.shape[0] - 3, -1, -1):
        y2[i, :] = (
            a7 * out[i + 1, :] + a8 * out[i + 2, :] + b1 * y2[i + 1, :] + b2 * y2[i + 2, :]
        )
    out[:] = c2 * (y1 + y2)
    return out


KERNELS = (
    Kernel(hdiff, lambda r: uniform(r, (7, 8, 2), (3, 4, 2), (3, 4, 2)), 2),
    Kernel(vadv, vadv_args),
    Kernel(deriche, lambda r: (0.25, *uniform(r, (4, 5)))),
)
