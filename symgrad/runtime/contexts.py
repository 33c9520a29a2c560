"""What the classes of ``sg.Function`` hand on from ``forward`` to ``backward``.

A context is open to the rule while it runs, and to nobody after: what ``forward`` has saved is
kept in a context of its own, of which each run of ``backward`` gets a copy. The front end knows
contexts by the methods with ``__symgrad`` names.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from ..errors import SavedValueError
from .settings import settings

SUMS = "_symgrad_checksums"


class Context:
    """What ``forward`` hands on to ``backward``: ``save_for_backward``, and attributes.

    What is saved is there in ``forward``, ``backward`` and ``jvp``. A context that was kept beyond
    that raises a ``SavedValueError`` when it is asked for it. So does ``backward``, with
    ``sg.config(debug=True)``, where the code cannot be compiled and a saved array has been changed
    in place since.
    """

    saved_arrays: Any
    needs_input_grad: tuple[bool, ...]

    def save_for_backward(self, *arrays: Any) -> None:
        """Keep arrays, numbers or None for ``backward``: ``ctx.saved_arrays``. Anything else
        may be kept as an attribute."""
        self.saved_arrays = arrays
        self.saves = self.saves + 1  # type: ignore[has-type]

    @property
    def saved_tensors(self) -> Any:
        """``saved_arrays`` under PyTorch's name."""
        return self.saved_arrays

    def mark_non_differentiable(self, *outputs: Any) -> None:
        """Say which outputs carry no derivative."""
        self.non_differentiable = outputs

    def mark_dirty(self, *inputs: Any) -> None:
        """Say which arrays ``forward`` changes in place; they have to be returned too."""
        self.dirty = inputs

    def set_materialize_grads(self, value: bool) -> None:
        """Whether outputs without a derivative have zeros (True) or None as cotangent."""
        self.materialize_grads = value

    def __symgrad_kept__(self, rule: str) -> Context:
        """A context with all that ``forward`` of ``rule`` has put into this one, which is
        released."""
        made = _copied(self)
        if settings().debug:
            vars(made)[SUMS] = tuple(map(_checksum, made.saved_arrays))
        self.__symgrad_release__(rule)
        return made

    def __symgrad_opened__(self, rule: str) -> Context:
        """A copy of a kept context for one run of ``rule``.

        Raises:
            SavedValueError: a saved array is not what it was.
        """
        made = _copied(self)
        before = vars(made).pop(SUMS, ())
        for i, (x, known) in enumerate(zip(made.saved_arrays, before, strict=False)):
            if _checksum(x) != known:
                raise SavedValueError(
                    f"`{rule}`: array {i} of those saved for the backward has been changed in "
                    "place since; save a copy, or change a copy"
                )
        return made

    def __symgrad_release__(self, rule: str) -> None:
        """From now on there is nothing to be read here."""
        vars(self).pop("saved_arrays", None)
        vars(self)["rule"] = rule
        self.__class__ = Released


class Released(Context):
    """A context that is not in use any more."""

    rule: str

    @property
    def saved_arrays(self) -> Any:
        """Gone."""
        raise SavedValueError(
            f"`{self.rule}` has returned, and what its context saved is not there any more: read "
            "`ctx.saved_arrays` in backward, and return what is used elsewhere"
        )


FIELDS = {
    "saved_arrays": (),
    "saves": 0,
    "non_differentiable": (),
    "dirty": (),
    "materialize_grads": True,
}


def _copied(ctx: Context) -> Context:
    made = Context()
    vars(made).update(vars(ctx))
    return made


def _checksum(x: Any) -> Any:
    if not isinstance(x, np.ndarray):
        return None
    data = np.ascontiguousarray(x).tobytes()
    return x.shape, x.dtype, hashlib.blake2b(data, digest_size=16).digest()


__all__ = ["FIELDS", "Context"]
