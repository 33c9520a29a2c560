"""Objects that a function finds around it: what of them the code relies on, and ``super()``."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import UnsupportedFunctionError, UnsupportedSyntaxError


class Base:
    bonus = 1.0

    def __init__(self, factor=2.0):
        super().__init__()
        self.factor = factor

    def __call__(self, x):
        return np.sum(x) * getattr(self, "scale", self.factor)

    def plain(self, x):
        return x * self.factor

    @property
    def twice(self):
        return 2 * self.factor

    @classmethod
    def named(cls):
        return cls.bonus

    @staticmethod
    def bent(x):
        return np.tanh(x)


class Derived(Base):
    bonus = 10.0

    def __init__(self, factor):
        super().__init__(factor + 1)

    def plain(self, x):
        return super().plain(x) + super().twice

    def all(self, x):
        return np.sum(super().bent(x) * super().named() + self.plain(x))

    def wrong(self, x):
        return super().missing(x)

    def unrelated(self, x):
        return super(Marked, self).plain(x)


class Marked:
    __symgrad_static__ = True


def test_super_finds_methods_properties_and_functions_of_the_class_before():
    made = Derived(2.0)
    x = np.array([0.3, -0.4])
    compiled = sg.compile(lambda x: made.all(x))
    assert compiled(x) == made.all(x)
    np.testing.assert_allclose(sg.grad(compiled)(x), 10 * (1 - np.tanh(x) ** 2) + 3)


def test_super_in_objects_that_are_made_inside():
    gradient = sg.grad(lambda x: np.sum(Derived(2.0).plain(x)))
    np.testing.assert_array_equal(gradient(np.ones(2)), [3, 3])


def test_super_of_another_class_is_refused():
    made = Derived(2.0)
    with pytest.raises(UnsupportedSyntaxError, match="is about an object of the class"):
        sg.compile(lambda x: made.unrelated(x))(np.ones(2))


def test_super_outside_of_methods_is_refused():
    with pytest.raises(UnsupportedSyntaxError, match="needs a method of a class around it"):
        sg.compile(lambda x: super().plain(x))(np.ones(2))


def test_what_no_class_has_raises_pythons_error():
    made = Derived(2.0)
    with pytest.raises(AttributeError, match="'super' object has no attribute 'missing'"):
        sg.compile(lambda x: made.wrong(x))(np.ones(2))


def test_attributes_that_come_and_go_are_noticed():
    made = Base()
    compiled = sg.compile(lambda x: made(x))
    x = np.ones(3)
    assert compiled(x) == 6
    made.scale = 5.0
    assert compiled(x) == 15
    del made.scale
    assert compiled(x) == 6


def test_attributes_of_an_object_that_is_compiled_itself_are_read_at_each_call():
    made = Base()
    compiled = sg.compile(made)
    assert compiled(np.ones(3)) == 6
    made.factor = 3.0
    assert compiled(np.ones(3)) == 9


def test_objects_that_are_known_when_compiling_are_not_made_inside():
    with pytest.raises(UnsupportedFunctionError, match="`Marked` cannot be made inside"):
        sg.compile(lambda x: Marked() and x)(np.ones(2))


def test_arithmetic_without_a_result_raises_only_where_it_is_reached():
    def guarded(x, n):
        if x[0] > 0:
            return x[0] / (n // (n - n))
        return x[0]

    compiled = sg.compile(guarded, static_argnums=(1,))
    assert compiled(-np.ones(2), 1) == -1
    with pytest.raises(ZeroDivisionError):
        compiled(np.ones(2), 1)


def test_a_shape_is_printed(capsys):
    def f(x):
        print("shape", x.shape, (1, "one"))
        return np.sum(x)

    x = np.ones((2, 3))
    assert sg.compile(f)(x) == 6
    assert capsys.readouterr().out == "shape (2, 3) (1, 'one')\n"
    np.testing.assert_array_equal(sg.grad(f)(x), x)
    assert capsys.readouterr().out == "shape (2, 3) (1, 'one')\n"
