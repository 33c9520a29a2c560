"""Decorators in another file than what they decorate."""

from __future__ import annotations

import functools


def doubled(*_given, **_named):
    def decorate(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            return f(*args, **kwargs) * 2

        return wrapper

    return decorate


def untouched(f):
    return f


def passed_on(f):
    @functools.wraps(f)
    def wrapper(*args):
        return f(*args)

    return wrapper
