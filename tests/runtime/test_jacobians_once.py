"""What a function does besides computing happens once, however many passes its Jacobian takes."""

import numpy as np
import pytest

import symgrad as sg

X, W = np.array([1.0, 2.0]), np.array([3.0, 5.0])


def spoken(x, w):
    print("called")
    return x * w * w, {"sum": x + w}


def scaled(x, w, rng):
    return x * w * rng.normal(size=2)


def energy(x, w, rng):
    print("called")
    return np.sum(x * x * w * rng.normal(size=2))


def draws():
    return np.random.default_rng(3).normal(size=2)


@pytest.mark.parametrize("kind", [sg.jacfwd, sg.jacrev])
@pytest.mark.parametrize("argnums", [0, (0, 1)])
def test_prints_once_with_auxiliary_results(kind, argnums, capsys):
    found, aux = kind(spoken, argnums, has_aux=True)(X, W)
    assert capsys.readouterr().out == "called\n"
    np.testing.assert_array_equal(aux["sum"], X + W)
    blocks = found if argnums else (found,)
    expected = (np.diag(W * W), np.diag(2 * X * W))
    for block, right in zip(blocks, expected, strict=False):
        np.testing.assert_array_equal(block, right)


@pytest.mark.parametrize("kind", [sg.jacfwd, sg.jacrev])
def test_all_blocks_see_the_same_draw(kind):
    by_x, by_w = kind(scaled, (0, 1))(X, W, np.random.default_rng(3))
    np.testing.assert_allclose(by_x, np.diag(W * draws()), rtol=1e-15)
    np.testing.assert_allclose(by_w, np.diag(X * draws()), rtol=1e-15)


@pytest.mark.parametrize("argnums", [0, (0, 1)])
def test_hessian_runs_its_function_once(argnums, capsys):
    rng = np.random.default_rng(3)
    found = sg.hessian(energy, argnums)(X, W, rng)
    assert capsys.readouterr().out == "called\n"
    first = found if argnums == 0 else found[0][0]
    np.testing.assert_allclose(first, np.diag(2 * W * draws()), rtol=1e-15)
    if argnums:
        np.testing.assert_allclose(found[0][1], np.diag(2 * X * draws()), rtol=1e-15)
        np.testing.assert_array_equal(found[1][1], np.zeros((2, 2)))
    after = np.random.default_rng(3)
    after.normal(size=2)
    assert rng.normal() == after.normal()
