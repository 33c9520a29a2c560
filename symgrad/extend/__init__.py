"""For libraries on top of the compiler: what ``symgrad.nn`` and ``symgrad.optim`` are made of.

They import this room, the names of ``symgrad`` itself, and ``symgrad.errors``; nothing else of
the compiler. So another runtime of modules, or of hooks, can be written as they are.

- ``losses``: a loss's gradient by arrays that objects ("boxes") hold, wherever it reads them;
- ``taps``: functions that values and gradients pass through, called or compiled;
- ``primitives``: functions NumPy does not have, each of which is one op in compiled code;
- ``marks``: what is to be compiled in place of a function, what is refused in compiled code;
- ``settings``: what ``sg.config`` has set.

The compiler knows classes of such a library by attributes of the class:

=========================  ===================================================================
``__symgrad_static__``     True: its objects are known when compiling, and their arrays are
                           inputs of the code
``__symgrad_array__``      it is a box: the name of the attribute that has the array; where
                           arithmetic meets a box, it means the array
``__symgrad_wanted__``     the name of a box's attribute that tells whether there is to be a
                           gradient
``__symgrad_hook__``       the name of a box's attribute that has None, or an object which is
                           called with the box and its new gradient, and returns what it becomes
``__symgrad_items__``      it is a container: the name of the attribute that has its items
=========================  ===================================================================

>>> class Weight:
...     __symgrad_static__, __symgrad_array__, __symgrad_wanted__ = True, "array", "trained"
...     def __init__(self, array):
...         self.array, self.trained = array, True
>>> w = Weight(np.array([1.0, 2.0]))
>>> step = extend.loss_backward(lambda x: np.sum((w @ x) ** 2), lambda run: run.compute())
>>> loss, gradients = step(np.array([3.0, 4.0]))
>>> gradients
(array([66., 88.]),)
"""

from ..runtime.settings import settings
from ..runtime.taps import bent_call, enter, leave, new_call, tap, tap_gradients
from .losses import Run, loss_backward
from .marks import call_with_others, compiled_as, known_when_compiling, outside
from .primitives import (
    avg_pool2d,
    check_windows,
    conv2d,
    conv_transpose2d,
    erf,
    max_pool2d,
    one_plus_erf,
    relu,
    sigmoid,
)

__all__ = [
    "Run",
    "avg_pool2d",
    "bent_call",
    "call_with_others",
    "check_windows",
    "compiled_as",
    "conv2d",
    "conv_transpose2d",
    "enter",
    "erf",
    "known_when_compiling",
    "leave",
    "loss_backward",
    "max_pool2d",
    "new_call",
    "one_plus_erf",
    "outside",
    "relu",
    "settings",
    "sigmoid",
    "tap",
    "tap_gradients",
]
