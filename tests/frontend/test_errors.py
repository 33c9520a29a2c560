"""What the front end refuses: class, builtin class, file, line, caret and a word of advice."""

from __future__ import annotations

import collections
import dataclasses
import functools

import numpy as np
import pytest

import symgrad as sg
from symgrad import errors

X = np.arange(6.0) - 2.0


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: float


@dataclasses.dataclass
class Derived:
    a: float
    b: float = dataclasses.field(init=False)


class Slotted:
    def __new__(cls, *args):
        return object.__new__(cls)

    def __init__(self, a):
        self.a = a


Point = collections.namedtuple("Point", "a b")


class Box:
    value = 1.0

    @property
    def twice(self):
        return 2 * self.value

    @twice.setter
    def twice(self, new):
        self.value = new / 2


BOX = Box()


def starred_alone(x):
    return print(*x[x > 0])


def set_of_runtime(x):
    return {x[0], 1.0}


def set_comprehension(x):
    return {x[i] for i in range(3)}


def no_dict(x):
    return dict(**x)


def item_of_tuple(x):
    t = (1.0, 2.0)
    t[0] = x
    return t


def item_of_number(x):
    s = x[0]
    s[...] = 1.0
    return s


def frozen(x):
    f = Frozen(1.0)
    f.a = 2.0
    return f.a * x


LISTED = [1.0]
HELD = np.ones(2)


def longer_list(x):
    LISTED.insert(0, x)
    return x


def list_read(x):
    LISTED.append(x)
    return x * LISTED[0]


def list_of_captured(x):
    LISTED.append(HELD)
    return x


def appended_then_stored(x):
    y = x + 1
    LISTED.append(y)
    y[0] = 2
    return y


def assigns_a_function(x):
    BOX.value = lambda y: x + y
    return x


def assigns_on_one_branch(x):
    if x.sum() > 0:
        BOX.value = "off"
    return x


def assigns_to_a_class(x):
    Derived.a = 3.0
    return x


def assigns_a_shape(x):
    y = x.copy()
    y.shape = (1, -1)
    return y


def assigns_a_long_list(x):
    def keeps(y):
        BOX.value = [v for v in y if v > 0]
        return np.sum(y)

    return sg.grad(keeps)(x)


def attributes_as_a_dict(x):
    return x * vars(BOX)["value"]


def dict_of_attributes(x):
    return x * BOX.__dict__["value"]


def own_new(x):
    return Slotted(1.0).a * x


def replace_what(x):
    return dataclasses.replace(x, a=1.0)


def print_to_file(x):
    print(x, file=None)
    return x


def length_of_number(x):
    return len(x[0])


def range_of_floats(x):
    return list(range(x[0]))


def is_of_arrays(x):
    return x[0] is x[1]


def items_of_number(x, n):
    return n[0] + x


def method_of_tuple(x):
    return (x, x).nothing()


def method_of_list(x):
    return [x].nothing()


def array_attribute(x):
    return x.nothing


def array_attribute_known(x):
    return x.ctypes


def operator_on_text(x):
    return "a" @ x


def formatted(x):
    return f"{x[0]}"


def needs_function(x):
    return sg.grad(argnums=0)(x)


def missing_argument(x):
    return two(x)


def two(a, b):
    return a + b


def too_many(x):
    return two(x, x, x)


def unexpected(x):
    return two(x, c=x)


def twice_given(x):
    return two(x, a=x)


def keyword_twice(x):
    return two(b=x, **{"b": x})  # noqa: PIE804


def not_callable(x):
    return x(1.0)


def read_only(x):
    y = np.broadcast_to(x, (2, 6))
    y[0] = 1.0
    return y


def may_be_argument(x):
    y = x if x[0] > 0 else x * 2
    for _ in x:
        y[0] = 1.0
        y = y if y[0] > 0 else y * 2
    return y


def maybe_shared(x):
    w = np.outer(x, x)[:, [0, 1]]
    y = w.reshape(-1)
    y[0] = 1.0
    return w, y


def does_not_fit(x):
    y = np.zeros(3)
    np.add(np.ones((2, 3)), 1, out=y)
    return y


def casts(x):
    y = np.zeros(6, int)
    y += x
    return y


def out_is_number(x):
    return np.add(x, 1, out=x[0])


def changes_in_test(x):
    xs = [1.0, 2.0]
    while xs.pop() < x[0]:
        x = x - 1
    return x


def never_settles(x):
    y = x
    while y.sum() < 100:
        y = y[None]
    return y


def mixed_zip(x):
    total = 0.0
    kept = [v for v in x if v > 0]
    for a, b in zip(kept, [1.0, 2.0]):  # noqa: B905
        total += a * b
    return total


def unassigned(x):
    return y + x  # noqa: F821


def unassigned_local(x):
    if x is None:
        z = 1.0
    return z + x


def axis_at_run_time(x):
    return np.sum(x.reshape(2, 3), axis=int(x[5]))


def set_order(x):
    return [x * k for k in {1, 2}]


def a_generator_result(x):
    return lambda: x


def partial_result(x):
    return functools.partial(two, x)


U, F, A = (
    errors.UnsupportedSyntaxError,
    errors.UnsupportedFunctionError,
    errors.AliasError,
)
CASES = [
    (starred_alone, U, SyntaxError, "index the array", "*x[x > 0]"),
    (set_of_runtime, U, SyntaxError, "use a list", "{x[0], 1.0}"),
    (set_comprehension, U, SyntaxError, "use a list", "{x[i] for i in range(3)}"),
    (no_dict, U, SyntaxError, "needs a dict", "dict(**x)"),
    (item_of_tuple, U, SyntaxError, "make a list", "t[0]"),
    (item_of_number, U, SyntaxError, r"shape \(1,\)", "s[...]"),
    (frozen, U, SyntaxError, "dataclasses.replace", "f.a"),
    (own_new, F, NotImplementedError, "dataclass", "Slotted(1.0)"),
    (replace_what, F, NotImplementedError, "dataclass", "dataclasses.replace(x, a=1.0)"),
    (print_to_file, U, SyntaxError, "sep, end", "print(x, file=None)"),
    (length_of_number, errors.CallError, TypeError, "len", "len(x[0])"),
    (range_of_floats, errors.CallError, TypeError, "integers", "range(x[0])"),
    (is_of_arrays, U, SyntaxError, "==", "x[0] is x[1]"),
    (method_of_tuple, F, NotImplementedError, "nothing", "(x, x).nothing()"),
    (method_of_list, F, NotImplementedError, "nothing", "[x].nothing"),
    (array_attribute, F, NotImplementedError, "nothing", "x.nothing"),
    (array_attribute_known, F, NotImplementedError, "op table", "x.ctypes"),
    (operator_on_text, U, SyntaxError, "operator", '"a" @ x'),
    (formatted, U, SyntaxError, "format it outside", "def formatted(x):"),
    (needs_function, U, SyntaxError, "first argument", "sg.grad(argnums=0)"),
    (missing_argument, errors.CallError, TypeError, "missing", "two(x)"),
    (too_many, errors.CallError, TypeError, "takes 2", "two(x, x, x)"),
    (unexpected, errors.CallError, TypeError, "unexpected", "two(x, c=x)"),
    (twice_given, errors.CallError, TypeError, "multiple", "two(x, a=x)"),
    (keyword_twice, errors.CallError, TypeError, "multiple", 'two(b=x, **{"b": x})'),
    (not_callable, F, NotImplementedError, "not a function", "x(1.0)"),
    (longer_list, A, ValueError, "append to it without reading it", "LISTED.insert(0, x)"),
    (list_read, U, SyntaxError, "appended to and then read", None),
    (list_of_captured, A, ValueError, "put a copy there", "LISTED.append(HELD)"),
    (appended_then_stored, A, ValueError, "would see it change", "y[0]"),
    (assigns_a_function, U, SyntaxError, "becomes a function", None),
    (assigns_on_one_branch, U, SyntaxError, "on one branch of a condition", None),
    (assigns_to_a_class, U, SyntaxError, "no local object", "Derived.a"),
    (assigns_a_shape, U, SyntaxError, "write x = x.reshape", "y.shape"),
    (assigns_a_long_list, U, SyntaxError, "np.stack", None),
    (attributes_as_a_dict, U, SyntaxError, "write `self.name`", "vars(BOX)"),
    (dict_of_attributes, U, SyntaxError, "write `self.name`", "BOX.__dict__"),
    (read_only, A, ValueError, "copy it", "y[0]"),
    (may_be_argument, A, ValueError, "copy the array", "y[0]"),
    (maybe_shared, A, ValueError, "copy it first", "y[0]"),
    (
        does_not_fit,
        errors.ShapeError,
        ValueError,
        "hold",
        "np.add(np.ones((2, 3)), 1, out=y)",
    ),
    (casts, errors.DTypeError, TypeError, "astype", "y += x"),
    (out_is_number, U, SyntaxError, "rank 1", "np.add(x, 1, out=x[0])"),
    (changes_in_test, U, SyntaxError, "assign in the body", "xs.pop() < x[0]"),
    (never_settles, U, SyntaxError, "over the rounds", "y"),
    (mixed_zip, U, SyntaxError, "index", "zip(kept, [1.0, 2.0])"),
    (unassigned, errors.UnboundVariableError, UnboundLocalError, "not defined", "y"),
    (unassigned_local, errors.UnboundVariableError, UnboundLocalError, "before it", "z"),
    (
        axis_at_run_time,
        U,
        SyntaxError,
        "a number among the arguments",
        "np.sum(x.reshape(2, 3), axis=int(x[5]))",
    ),
    (set_order, U, SyntaxError, "sort it", "{1, 2}"),
    (a_generator_result, U, SyntaxError, "returns arrays", None),
    (partial_result, U, SyntaxError, "returns arrays", None),
]


@pytest.mark.parametrize(
    ("f", "error", "builtin", "word", "marked"), CASES, ids=[c[0].__name__ for c in CASES]
)
def test_refused(f, error, builtin, word, marked):
    with pytest.raises(error, match=word) as caught:
        sg.compile(f)(X.copy())
    found = caught.value
    assert isinstance(found, builtin)
    assert found.filename == __file__
    first = f.__code__.co_firstlineno
    assert first <= found.lineno <= first + 6
    *_, where, shown, caret = str(found).splitlines()
    assert where == f'  File "{__file__}", line {found.lineno}'
    if marked is not None:
        start, end = caret.index("^"), caret.rindex("^") + 1
        assert shown[start:end] == marked or caret.count("^") == 1
        assert shown[start:].startswith(marked)


def test_items_of_a_number():
    with pytest.raises(errors.UnsupportedSyntaxError, match="number") as caught:
        sg.compile(items_of_number)(X, 3)
    assert caught.value.filename == __file__
    assert "^" in str(caught.value)


def missing_key(x):
    return x * {"a": 1.0}["b"]


def no_number(x):
    return x * float("one")


def empty(x):
    return x * [][0]


@pytest.mark.parametrize(
    ("f", "error"), [(missing_key, KeyError), (no_number, ValueError), (empty, IndexError)]
)
def test_errors_of_static_code_are_python_s_with_the_place(f, error):
    with pytest.raises(error) as caught:
        sg.compile(f)(X)
    assert f"line {f.__code__.co_firstlineno + 1}" in "".join(caught.value.__notes__)
    with pytest.raises(error):
        f(X)
