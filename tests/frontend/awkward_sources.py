"""Functions whose text is hard to find. Formatting is part of the test."""

# fmt: off
# ruff: noqa
import functools
try:
    import math
    if True:
        import os.path as osp
except ImportError:
    import cmath as math


def deco(*args, **kwargs):
    return lambda function: function


def wrapping(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)
    return wrapper


def plain(x):
    return x


@deco(1, [lambda x: x, (lambda y: y)])
@deco(")", "def decorated(")
@(lambda f:
  f)
def decorated(x, *, y=2):
    return x + y


@wrapping
def wrapped(x):
    return x


@functools.lru_cache
def cached(x):
    return x


TWO = [lambda x: x + 1, lambda x: x + 2]
SAME = [lambda x: x, lambda x: x]
NESTED = lambda x: lambda y: x + y
INNER = NESTED(1)
LONG = (lambda x:
        x *
        3)
DEFAULTED = lambda x, f=lambda z: z - 1: f(x)
CONSTANT = {"a": lambda: 1, "b": lambda: 2}
IN_CALL = deco(lambda: 0)(lambda x, *a, **k: (x,
    a)), 5


def outer(factor):
    def inner(x):
        def inner(y):
            return factor * y
        return inner(x)
    return inner


closure = outer(3)


class Model:
    __scale = 2

    def method(self, x):
        return self.__scale * x

    @staticmethod
    def static(x):
        return x

    @classmethod
    def of(cls, x):
        return cls

    @property
    def prop(self):
        return super().__init__

    def __call__(self, z):
        return z

    class Inner:
        def method(self, x):
            return -x


if True:
    def branch(x):
        return 1
else:
    def branch(x):
        return 2


def documented(x):
    """Docstring."""
    yes = {i: j for i, j in x}
    return [f"{k!r}" for k in yes]


def umlaut(x):
    return len("äöü") * x


def imported(x):
    return math.sin(x) + osp.join(x).upper()


CASES = [
    (plain, "return x"),
    (decorated, "def decorated(x, *, y=2):\n    return x + y"),
    (TWO[0], "x + 1"),
    (TWO[1], "x + 2"),
    (SAME[1], "lambda x: x"),
    (NESTED, "lambda x: lambda y: x + y"),
    (INNER, "lambda y: x + y"),
    (LONG, "x * 3"),
    (DEFAULTED, "lambda x, f=lambda z: z - 1: f(x)"),
    (DEFAULTED.__defaults__[0], "lambda z: z - 1"),
    (CONSTANT["a"], "lambda: 1"),
    (CONSTANT["b"], "lambda: 2"),
    (IN_CALL[0], "lambda x, *a, **k: (x, a)"),
    (closure, "return inner(x)"),
    (Model().method, "return self._Model__scale * x"),
    (Model.static, "return x"),
    (Model.of, "return cls"),
    (Model.prop.fget, "return super().__init__"),
    (Model(), "return z"),
    (Model.Inner().method, "return -x"),
    (branch, "return 1"),
    (documented, "for k in yes]"),
    (umlaut, "* x"),
    (imported, "osp.join(x).upper()"),
]
