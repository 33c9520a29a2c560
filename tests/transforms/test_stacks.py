"""Where loops keep what their backward reads."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad.testing import check_grads

RNG = np.random.default_rng(2)
A = RNG.uniform(0.2, 1.0, (4, 5))


def sweep_of_neighbours(a):
    b = a.copy()
    for i in range(1, a.shape[0]):
        for j in range(1, a.shape[1]):
            b[i, j] = b[i - 1, j] * b[i, j - 1]
    return np.sum(b**2)


def three_deep(a, n):
    b = a[0].copy()
    for t in range(n):
        for i in range(2):
            for j in range(i + 1):
                b[j] = b[j + 1] * np.sin(b[j]) + t
    return np.sum(b)


def inner_loop_in_a_branch(a):
    s = a[0, 0]
    for i in range(a.shape[0]):
        if a[i, 0] > 0.5:
            for j in range(a.shape[1]):
                s = s * np.cos(a[i, j]) + a[i, j]
    return s


def steps_over_rows(a, n):
    for _ in range(n):
        a = np.sin(a) * a
    return np.sum(a)


def linear_in_time(u, n):
    v = np.zeros_like(u)
    for _ in range(n):
        v[1:-1] = 0.5 * (u[:-2] + u[2:])
        u[1:-1] = 0.5 * (v[:-2] + v[2:])
    return np.sum(u**2)


def products_of_growing_slices(a, c):
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            c[i, : i + 1] += a[: i + 1, k] * a[i, k] + a[: i + 1, k] * c[k, i]


def mirrored(a):
    c = np.zeros((a.shape[1], a.shape[1]))
    for i in range(a.shape[1]):
        c[i:, i] = c[i, i:] = a[:, i] @ a[:, i:]
    return c


def test_nested_loops_share_one_list():
    source = sg.grad(sweep_of_neighbours).lower(A).source
    assert source.count("= []") == 2
    assert "saved.copy" not in source
    check_grads(sweep_of_neighbours, (A,))


def test_lists_go_through_any_depth():
    source = sg.grad(three_deep).lower(A, 2).source
    assert "[].copy" not in source and source.count("= []") == source.count(".pop()")
    check_grads(three_deep, (A, 2))


def test_a_list_filled_in_a_branch():
    check_grads(inner_loop_in_a_branch, (A,))


def test_arrays_of_known_shape_are_allocated_once():
    source = sg.grad(steps_over_rows).lower(A, 3).source
    assert "= []" not in source and source.count("np.empty") >= 1
    check_grads(steps_over_rows, (A, 3))


def test_a_linear_loop_keeps_nothing():
    source = sg.grad(linear_in_time).lower(A[0], 3).source
    assert "= []" not in source and "np.empty" not in source
    check_grads(linear_in_time, (A[0].copy(), 3))


def test_an_adjoint_that_may_be_a_view_is_not_written_over():
    a = np.random.default_rng(4).uniform(0.2, 1.0, (3, 3))
    check_grads(products_of_growing_slices, (a, a.T.copy()))
    check_grads(mirrored, (A,))


def test_of_what_only_the_length_is_read_nothing_is_kept():
    source = sg.grad(lambda a: np.sum(mirrored(a) ** 2)).lower(A).source
    assert "= []" not in source and "np.empty" not in source


def crout(a):
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, a.shape[0]):
            a[i, j] -= a[i, :i] @ a[:i, j]


def gauss_seidel(a):
    for i in range(1, a.shape[0] - 1):
        a[i, 1:-1] += a[i - 1, :-2] + a[i, 2:] + a[i + 1, 1:-1]


def viscous(u, c, a, b):
    total = 0.0
    while total < 2.0:
        u[1:-1, 1:-1] += c * (
            a * (u[1:-1, 2:] - 2 * u[1:-1, 1:-1] + u[1:-1, :-2])
            + b * (u[2:, 1:-1] - 2 * u[1:-1, 1:-1] + u[:-2, 1:-1])
        )
        total += 1.0


def test_what_a_list_holds_is_not_taken_over_under_another_name():
    check_grads(viscous, (A.copy(), 0.1, 0.2, 0.3))


def test_no_whole_array_is_touched_in_a_loop_of_stores():
    square = np.eye(4) + np.random.default_rng(4).uniform(-0.2, 0.2, (4, 4))
    for kernel in (crout, gauss_seidel):

        def loss(a, kernel=kernel):
            kernel(a)
            return np.sum(a**2)

        source = sg.grad(loss).lower(square).source
        loops = [line for line in source.splitlines() if line.startswith(" " * 8)]
        whole = [line for line in loops if "A.copy()" in line or "np.zeros" in line]
        whole += [line for line in loops if line.endswith((" a.copy()", " g_a.copy()"))]
        assert loops and not whole
        check_grads(kernel, (square,))


def rows_exchanged(a, n):
    b = a.copy()
    total = 0.0
    for k in range(n):
        p = k + np.argmax(b[k:, k])
        b[[k, p]] = b[[p, k]]
        total += b[k, k] * np.sin(b[k, 0])
    return total


def test_a_value_is_not_kept_for_its_shape():
    source = sg.grad(rows_exchanged).lower(A, 3).source
    assert "np.full(" in source
    assert "b_saved" not in source
    check_grads(rows_exchanged, (A, 3), order=2)


def eliminated(a, n):
    b = a.copy()
    for k in range(n):
        for i in range(k + 1, n):
            b[i, k:] -= b[i, k] / b[k, k] * b[k, k:]
    return b.sum()


def test_what_a_round_has_filled_is_handed_on_as_it_is():
    source = sg.grad(eliminated).lower(A[:, :4], 4).source
    assert "saved_saved.append(saved_2)" in source
    check_grads(eliminated, (A[:, :4] + 3 * np.eye(4), 4), order=2)


def filled_before(a):
    kept = []
    for i in range(3):
        row = np.zeros(4)
        for j in range(4):
            row[j] = a[i, j] ** 2
        kept.append(row)
    return np.stack(kept)


def filled_after(a):
    kept = []
    for i in range(3):
        row = np.zeros(4)
        kept.append(row * 1.0)
        for j in range(4):
            row[j] = a[i, j] ** 2
        kept.append(row)
        row = row + 1
        row[0] = a[0, i]
        kept.append(row)
    return np.stack(kept)


def filled_in_the_next_round(a):
    kept = []
    row = np.zeros(4)
    for i in range(3):
        row[i] = a[0, i]
        kept.append(row.copy())
        row = np.zeros(4)
        row[3] = a[i, 0] ** 2
        kept.append(row + 0)
        kept.append(row[::-1].copy())
    return np.stack(kept)


def changed_outside(a):
    kept = []
    last = a[0, :4] * 1.0
    for i in range(3):
        row = np.zeros(4)
        for j in range(4):
            row[j] = a[i, j] * 2
        kept.append(row.copy())
        if a[i, 0] > 0.5:
            last = row
    last[0] = a[1, 1]
    kept.append(last)
    return np.stack(kept)


@pytest.mark.parametrize(
    "f", [filled_before, filled_after, filled_in_the_next_round, changed_outside]
)
def test_what_a_list_holds_does_not_change(f):
    a = RNG.uniform(0.2, 1.0, (4, 5))
    np.testing.assert_array_equal(sg.compile(f)(a), f(a))
    check_grads(lambda a: np.sum(f(a) ** 2), (a,), order=2)


def leaves_early(w, h):
    r, total = -w, 0.0
    for _ in range(3):
        r -= h
        new = r @ r
        if new > 50.0:
            break
        total += new * r[0]
    return total


def until_it_is_small(w, h):
    r = -w
    size = r @ r
    while size > 1e-2:
        r = 0.5 * r - 0.1 * h * size
        size = r @ r
    return size + r[0]


def conjugate_gradients(a, b):
    x = np.zeros_like(b)
    r = b - a @ x
    p = r.copy()
    rs = r @ r
    for _ in range(len(b)):
        ap = a @ p
        alpha = rs / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        new = r @ r
        if new < 1e-6:
            break
        p = r + new / rs * p
        rs = new
    return np.sum(x**2)


def keeps_a_list(w, n):
    r, kept = -w, []
    for _ in range(n):
        r = r * w - 1.0
        kept.append(r)
    return sum(k @ k for k in kept), kept[0]


def writes_into_what_the_last_round_made(x):
    r, t = np.zeros((4, 2)), 0.0
    for i in range(4):
        for k in range(2):
            r[:, k] = np.sin(x * (k + 1)) * (1 + t)
        r = r / x[0]
        if i > 2:
            break
        t = np.sum(r**2) * 0.01
    return t + r[0, 0]


def test_what_a_list_holds_from_one_round_is_not_written_over_in_the_next():
    rng = np.random.default_rng(7)
    w, h, m = rng.uniform(0.3, 1.0, 4), rng.uniform(0.3, 1.0, 4), rng.normal(size=(6, 4))
    check_grads(leaves_early, (w, h))
    check_grads(until_it_is_small, (w, h))
    check_grads(writes_into_what_the_last_round_made, (w,))
    check_grads(conjugate_gradients, (m.T @ m + np.eye(4), h), order=1)
    check_grads(lambda w: keeps_a_list(w, 3)[0], (w,))
    got, first = sg.compile(keeps_a_list)(w, 3)
    assert got == keeps_a_list(w, 3)[0]
    assert np.array_equal(first, keeps_a_list(w, 3)[1])


def test_second_derivatives_of_a_loop_that_is_left_early_agree():
    rng = np.random.default_rng(7)
    m, b, da = rng.normal(size=(6, 4)), rng.uniform(0.3, 1.0, 4), rng.normal(size=(4, 4))
    a = m.T @ m + np.eye(4)
    along = sg.jvp(lambda a: sg.grad(conjugate_gradients)(a, b), (a,), (da,))[1]
    back = sg.grad(lambda a: np.sum(sg.grad(conjugate_gradients)(a, b) * da))
    assert np.allclose(along, np.tensordot(sg.hessian(conjugate_gradients)(a, b), da, 2))
    assert np.allclose(along, sg.hvp(conjugate_gradients)(da, a, b))
    assert np.allclose(back(a), np.tensordot(da, sg.hessian(conjugate_gradients)(a, b), 2))
