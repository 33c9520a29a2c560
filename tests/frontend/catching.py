"""Functions with ``except``, and arguments by which they go one way or the other."""

from __future__ import annotations

import math

import numpy as np

FINE, SINGULAR, NEGATIVE = np.eye(2) * 2.0, np.ones((2, 2)), -np.eye(2)
X, LONG = np.array([0.7, 0.4]), np.array([0.7, 0.4, 1.2, 0.3, 0.9])


def another_factor(a, x):
    try:
        c = np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        c = np.linalg.cholesky(a @ a.T + np.eye(len(a)))
    return np.sum(c @ x)


def jitter(a, x):
    j = 0.5
    for k in range(6):  # noqa: B007
        try:
            c = np.linalg.cholesky(a + j * np.eye(len(a)))
            break
        except np.linalg.LinAlgError:
            j *= 3
    else:
        raise ValueError("not positive")
    return np.sum(c @ x) * j + k


def returns_in_both(a, x):
    try:
        return np.linalg.solve(a, x)
    except np.linalg.LinAlgError:
        return x * 2


def division(a, b):
    try:
        r = a / b
    except ZeroDivisionError:
        r = 0.0
    return r + a


def of_math(a, b):
    z = 1.0
    try:
        y = math.log(a) + math.sqrt(b)
    except ValueError:
        y = -1.0
    else:
        y += 3.0
    finally:
        z = 2.0
    return y * z


class Bad(Exception):
    pass


def helper(x, t):
    if x.sum() > t:
        raise Bad("too big")
    x[0] += 1
    return x * 2


def raised_in_a_call(x, t):
    try:
        y = helper(x, t) + 1
        x[1] = 5.0
    except Bad:
        y = x * 0.1
        x[2] = 7.0
    return y


def raised_in_a_loop(x, t):
    try:
        for i in range(len(x)):
            if x[i] > t:
                raise ValueError("no")
            x[i] *= 2
    except (ValueError, KeyError):
        x[-1] = 9.0
    return x


def raised_in_two_loops(x, t):
    n = 0
    try:
        for i in range(len(x)):
            for j in range(i):
                n += 1
                if x[i] * x[j] > t:
                    raise Bad
                x[j] += 0.01
    except Bad:
        x[0] = n
    return x * n


def raises_another(a, x):
    try:
        return np.linalg.solve(a, x)
    except np.linalg.LinAlgError as error:
        raise ValueError("singular") from error


def raises_again(a, x):
    try:
        y = np.linalg.inv(a) @ x
    except Exception:
        x[0] = 3.0
        raise
    return y


def known_when_compiling(x, options):
    try:
        w = options["w"]
    except KeyError:
        w = 2.0
    try:
        n = x.size_of_it
    except AttributeError:
        n = 3.0
    try:
        import no_such_module  # noqa: F401

        there = True
    except ImportError:
        there = False
    return x * w * n + there


def of_types(x, y):
    try:
        n = len(y)
    except TypeError:
        n = 0
    try:
        z = x + np.ones(3)
    except ValueError:
        z = x
    return z * (n + 1.5)


def settings(x):
    with np.errstate(all="raise"):
        try:
            y = 1 / x
        except FloatingPointError:
            y = x * 0
    return y


def stores_before(x, a):
    try:
        x[0] = 1.0
        b = np.linalg.inv(a)
        x[1] = b[0, 0]
        c = np.linalg.cholesky(a)
        x[2] = c[0, 0]
    except np.linalg.LinAlgError:
        x[3] = x[1] + 5
    return x


def position(x, k):
    try:
        v = x[k]
    except IndexError:
        v = x[0] * 2
    return v * v


def stored_at(x, k):
    try:
        x[k] = 3.0
        x[0] = 8.0
    except IndexError:
        x[1] = 4.0
    return x


def through_a_finally(a, x):
    try:
        try:
            y = np.linalg.solve(a, x)
        except ZeroDivisionError:
            y = x
        finally:
            x[0] += 1
    except np.linalg.LinAlgError:
        y = x * 3
    return y


def in_a_loop(a, x):
    total = 0.0
    for i in range(4):
        try:
            if x[i % 3] > 1.0:
                continue
            total += np.linalg.solve(a - i * np.eye(2), x[:2])[0]
        except np.linalg.LinAlgError:
            total += 10.0 * x[0]
    return total


def on_one_branch(a, x):
    try:
        if x[0] > 0.5:
            y = np.linalg.solve(a, x)
        else:
            y = x * 2
    except np.linalg.LinAlgError:
        y = x * 5
    return y


def in_an_expression(a, b):
    try:
        y = a + (a / b if a > 0 else b) * 2
    except ZeroDivisionError:
        y = a * 7
    return y


def of_an_assert(x, t):
    try:
        assert x[0] < t, "large"
        x[1] = 0.0
    except AssertionError as error:
        x[2] = len(str(error))
    return x


def message(x, t):
    try:
        if x[0] > t:
            raise Bad("five!")
        y = x * 2
    except Bad as error:
        y = x * len(error.args[0])
    return y


def in_a_comprehension(x):
    try:
        return sum([1.0 / float(v) for v in x])
    except ZeroDivisionError:
        return float(x[0])


def in_a_list(x):
    try:
        y = [math.log(float(v)) for v in x]
    except ValueError:
        return x * 0.5
    return np.array(y)


def in_an_any(x):
    try:
        if any(1 / float(v) > 5 for v in x):
            return x[0]
        x[0] = 4.0
    except ZeroDivisionError:
        return x[1]
    return x[2]


def raised_in_an_else(a, x):
    try:
        if x[0] > 5:
            return x
        try:
            if x[1] > 5:
                return x * 2
        except ValueError:
            x[0] = 2.0
        else:
            y = np.linalg.solve(a, x)
            x[0] = y[0]
        x[1] = 3.0
    except np.linalg.LinAlgError:
        x[1] = 7.0
    return x


def raised_in_an_except(x, t):
    try:
        try:
            y = float(x[0]) / t
        except ZeroDivisionError:
            x[0] = 2.0
            y = math.sqrt(t - 1.0)
            x[1] = 3.0
    except ValueError:
        y = 5.0
        x[1] = 7.0
    return y + x[0]


def stores_of_a_call(v, c):
    v[1] = c
    if c > 0.6:
        raise Bad(c)
    return float(v[0]) / c


def stored_and_raised_later(x, s, k):
    x[1] = s
    try:
        s = stores_of_a_call(x, s * 2)
    except (Bad, IndexError):
        s = 0.5
    x[0] = 4.0
    x[k] = s * 0.3
    return x


def again_after_all(x, s):
    try:
        x[0] = s / float(x[0])
    except ZeroDivisionError:
        raise
    else:
        x[1] = s
    return s / float(x[2])


def rows(x, n):
    try:
        m = x.reshape(n, -1)
    except ValueError:
        return np.sum(x**2)
    return np.sum(m[0] ** 3)


def largest(x, n):
    try:
        top = np.max(x[:n]) * np.argmin(x[n:])
    except ValueError:
        top = x[1]
    return top * x[0]


def of_a_length(x, n):
    try:
        y = np.repeat(x, n - 1)
        y = np.concatenate([y, np.zeros(n - 1), np.pad(x, n - 1)]) * (1 << (n - 1))
    except ValueError:
        y = x * 5
    return np.sum(y**2)


def without(x, n):
    try:
        y = np.delete(x, n)
    except IndexError:
        y = x * 5
    return np.sum(y**2)


def without_an_axis(x, n):
    try:
        y = np.squeeze(x[:n], 0)
    except ValueError:
        y = x[0] * 5
    return y**2


CASES = [
    (rows, LONG, 5),
    (rows, LONG, 2),
    (largest, LONG, 2),
    (largest, LONG, 0),
    (largest, LONG, 5),
    (of_a_length, LONG, 2),
    (of_a_length, LONG, 0),
    (without, LONG, 1),
    (without, LONG, 5),
    (without_an_axis, LONG, 1),
    (without_an_axis, LONG, 2),
    (raised_in_an_else, FINE, X),
    (raised_in_an_else, SINGULAR, X),
    (raised_in_an_else, SINGULAR, X * 10),
    (raised_in_an_except, LONG, 2.0),
    (raised_in_an_except, LONG, 0.0),
    (stored_and_raised_later, LONG, 0.2, 2),
    (stored_and_raised_later, LONG, 0.4, 2),
    (stored_and_raised_later, LONG, 0.4, 9),
    (stored_and_raised_later, LONG, 0.1, 9),
    (again_after_all, LONG, 0.1),
    (again_after_all, LONG * 0.0, 0.1),
    (again_after_all, np.array([1.0, 1.0, 0.0]), 0.1),
    (in_a_comprehension, LONG),
    (in_a_comprehension, np.array([0.2, 0.0, 0.3])),
    (in_a_list, LONG),
    (in_a_list, np.array([0.2, -0.1, 0.3])),
    (in_an_any, LONG),
    (in_an_any, np.array([0.1, 0.0, 0.3])),
    (in_an_any, np.array([0.9, 0.0, 0.3])),
    (another_factor, FINE, X),
    (another_factor, NEGATIVE, X),
    (jitter, FINE, X),
    (jitter, NEGATIVE * 3, X),
    (jitter, NEGATIVE * 1e6, X),
    (returns_in_both, FINE, X),
    (returns_in_both, SINGULAR, X),
    (division, 1.0, 2.0),
    (division, 1.0, 0.0),
    (of_math, 1.0, 2.0),
    (of_math, -1.0, 2.0),
    (of_math, 1.0, -2.0),
    (raised_in_a_call, LONG, 1.0),
    (raised_in_a_call, LONG, 10.0),
    (raised_in_a_loop, LONG, 1.0),
    (raised_in_a_loop, LONG, 9.0),
    (raised_in_two_loops, LONG, 0.7),
    (raised_in_two_loops, LONG, 9.0),
    (raises_another, FINE, X),
    (raises_another, SINGULAR, X),
    (raises_again, FINE, X),
    (raises_again, SINGULAR, X),
    (known_when_compiling, X, {}),
    (known_when_compiling, X, {"w": 3.0}),
    (of_types, X, 2.0),
    (of_types, X, X),
    (of_types, LONG[:3], X),
    (settings, X),
    (settings, np.array([0.0, 1.0])),
    (stores_before, LONG, FINE),
    (stores_before, LONG, SINGULAR),
    (stores_before, LONG, NEGATIVE),
    (position, LONG, 1),
    (position, LONG, 7),
    (stored_at, LONG, 2),
    (stored_at, LONG, 7),
    (through_a_finally, FINE, X),
    (through_a_finally, SINGULAR, X),
    (in_a_loop, FINE, LONG),
    (on_one_branch, FINE, X),
    (on_one_branch, SINGULAR, X),
    (on_one_branch, SINGULAR, X - 0.5),
    (in_an_expression, 1.0, 2.0),
    (in_an_expression, 1.0, 0.0),
    (in_an_expression, -1.0, 0.0),
    (message, X, 0.1),
    (message, X, 1.0),
]
"""Functions, and arguments by which they go one way or the other."""
