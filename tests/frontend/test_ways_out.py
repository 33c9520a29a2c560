"""``raise``, ``assert``, ``try``/``finally``, ``print`` and ``np.errstate``."""

# ruff: noqa: UP031, UP032, SIM107, B012 (these ways of writing are what is tested)

from __future__ import annotations

import warnings

import numpy as np
import pytest

import symgrad as sg
from symgrad import errors
from symgrad.testing import check_grads
from tests.frontend.asserting import (
    asserted,
    by_percent,
    finally_around_an_assert,
    message_not_made,
)
from tests.frontend.outcomes import alike

X = np.random.default_rng(0).uniform(0.2, 1.0, 6)


class Rejected(ValueError):
    """Somebody's own error."""


def own(x):
    if np.sum(x) > 0:
        raise Rejected("bad %d" % 3, 4)
    return x


def own_in_text(x):
    raise Rejected(f"sum {np.sum(x):.3f} of {len(x)} {{{x[0]!r}}}", x[1])


def own_class(x):
    raise Rejected


def shapes(x):
    if x.shape[0] > 2:
        raise Rejected(f"{x.shape} is not {(x.shape, 'a{b', (x[0], 2))}")
    return np.sum(x)


def by_format(x):
    raise Rejected("{:.1f} of {}".format(x[1], 3))


def finally_after_return(x):
    try:
        y = x * 2
        if np.sum(y) > 1:
            return y
        y = y + 1
    finally:
        x[0] = 5.0
    return y * 3


def finally_in_a_loop(x):
    for i in range(len(x)):
        try:
            if x[i] > 0.5:
                continue
            if x[i] < 0.3:
                break
            x[i] *= 2
        finally:
            x[i] += 1
    return x


def finally_before_raise(x):
    try:
        x[0] = 3.0
        if x[1] > 0:
            raise ValueError("no")
    finally:
        x[2] = 7.0
    return x


def _check(v):
    if v > 0.2:
        raise Rejected("too big", v)


def finally_around_a_call(x):
    try:
        try:
            _check(x[0])
        finally:
            x[0] = 9.0
    finally:
        x[1] = x[0] + 1
    return x


def changed_before(x):
    first = np.array(x)
    for i in range(9):
        if first[i] > 0.3:
            x *= first[i - 1] + 1
    return x, np.sum(first)


FUNCTIONS = [
    own, own_in_text, own_class, asserted, shapes, by_percent, by_format,
    message_not_made,
    finally_after_return, finally_in_a_loop, finally_before_raise, finally_around_a_call,
    finally_around_an_assert, changed_before,
]  # fmt: skip


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_like_python(f):
    alike(f, X)


def test_a_loop_left_through_finally_has_a_gradient():
    check_grads(lambda x: np.sum(finally_in_a_loop(x * 1.0) ** 2), (X,), order=1)


def test_print(capsys):
    def f(x):
        print("x:", f"{x[0]:.2f}", "%d, %.1f" % (3, x[1]), "{}".format(x[2]), x[3], 4)
        return x

    f(X)
    expected = capsys.readouterr().out
    sg.compile(f)(X)
    assert capsys.readouterr().out == expected


def pieces(x):
    text = "a" + f"{x[0]:.2f}" + "{}%s{" + 2 * f"{x[1]}|"
    for i in range(2):
        text += f" {i}={x[i]!r};"
    rows = []
    for v in x[:3]:
        rows.append(f"{v:>8.3f}%")
    print(text, "".join(["p", text, str(x[1])]), ", ".join(str(v) for v in rows))
    print(repr(x[0]), str(x > 0), format(x[0], ".2f"), format(x), str(len(x)))
    print(
        [x[0], {"a": x}], f"{(x[0], [1])}", f"[{text}]", "%d" % x[0], "%s %g" % ("a", x[0])
    )
    print("%s %r %5.2f|%-9.1e|%+d%%|%8s" % (text, x[1], x[2], x[3], len(x), x[4]))
    print("%(a)s!" % {"a": x[0]}, "{a} {0!r:>25} {b:.1f}{{}}".format(x[0], a=text, b=x[2]))
    try:
        if x[0] > 0:
            raise Rejected("bad " + str(x[0]) + f"{[x[1]]!r}")
    except Rejected as error:
        print("caught: " + str(error))
    raise Rejected("x is %s" % x[0])


def test_texts_are_put_together_as_in_python(capsys):
    alike(pieces, X)
    theirs, mine = capsys.readouterr().out, ""
    with pytest.raises(Rejected):
        pieces(X)
    mine = capsys.readouterr().out
    assert theirs == mine + mine


def silent(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.log(x - 0.5)
        z = y / (x - 0.5)
    return np.where(x > 0.5, y * z, 0.0)


def silent_in_a_loop(x):
    total = 0.0
    for i in range(len(x)):
        with np.errstate(all="ignore"):
            y = np.log(x[i] - 0.5)
        if x[i] > 0.5:
            total = total + y
    return total


def silent_around_a_loop(x):
    with np.errstate(all="ignore"):
        for i in range(len(x)):
            x = np.sqrt(x - i * 0.1)
        return np.log(x)


@pytest.mark.parametrize("f", [silent, silent_in_a_loop, silent_around_a_loop])
def test_errstate_is_kept(f):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(sg.compile(f)(X), f(X), equal_nan=True)
        sg.grad(lambda x: np.nansum(f(x)))(X)
    assert "with np.errstate(" in sg.compile(f).lower(X).source


def strict(x):
    y = np.log(x)
    with np.errstate(invalid="raise"):
        return np.sqrt(y)


def test_errstate_raises():
    with pytest.raises(FloatingPointError, match="sqrt"):
        sg.compile(strict)(X)


def leaves_finally(x):
    try:
        return x
    finally:
        return x * 2


def bare_raise(x):
    raise


def raises_no_class(x):
    raise x


def raises_by_keyword(x):
    raise Rejected(value=3)


def container_in_error(x):
    raise Rejected([(v, v * 2) for v in x])


def runtime_format(x):
    print(f"{x[0]:.{int(x[1])}f}")


def text_formatted_again(x):
    print("%8s" % f"{x[0]}")


def text_changed(x):
    print(f"{x[0]}".upper())


def text_chosen(x):
    text = f"{x[0]}" if x[0] > x[1] else f"{x[1]}."
    print(text)


def place_missing(x):
    template = "{} {}"
    print(template.format(x[0]))


def end_by_data(x):
    print(x[0], end=f"{x[1]}")


def wrong_errstate(x):
    with np.errstate(call=print):
        return x


REFUSED = [
    (leaves_finally, "leave after it"),
    (bare_raise, "name the error"),
    (raises_no_class, "no class of exceptions"),
    (raises_by_keyword, "positional arguments"),
    (container_in_error, "the length of this list is known at run time only"),
    (runtime_format, "format of a value"),
    (text_formatted_again, "cannot be formatted once more"),
    (text_changed, r"`.upper` of texts with runtime values"),
    (text_chosen, "a text with runtime values in it"),
    (place_missing, "use an f-string"),
    (end_by_data, "`end` of print has to be known"),
    (wrong_errstate, "takes all, divide"),
]


@pytest.mark.parametrize(("f", "word"), REFUSED, ids=lambda p: getattr(p, "__name__", ""))
def test_refused(f, word):
    with pytest.raises(errors.SymgradError, match=word) as caught:
        sg.compile(f)(X)
    assert caught.value.filename == __file__
    assert "^" in str(caught.value)
