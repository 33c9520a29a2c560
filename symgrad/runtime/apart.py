"""Functions that store into an argument: their code counts on the argument sharing no memory
with others, so that is made sure at each call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import AliasError
from ..frontend.keys import arrays_in, overlapping
from ..frontend.requests import Path


def apart(
    call: Callable[..., Any], stored: tuple[Path, ...], name: str
) -> Callable[..., Any]:
    """``call``, refusing arguments that share memory with one that is stored into.

    Args:
        stored: paths of the arguments stored into.
        name: the function's name, for messages.
    """
    if not stored:
        return call

    def checked(*args: Any, **kwargs: Any) -> Any:
        found = list(arrays_in(args, ("arg",)))
        found += arrays_in(kwargs, ("kwarg",))
        for i, j in overlapping([array for _, array in found]):
            for one, other in ((found[i][0], found[j][0]), (found[j][0], found[i][0])):
                if one in stored:
                    raise AliasError(
                        f"`{name}` stores into {_text(one)}, which shares memory with "
                        f"{_text(other)}; pass a copy"
                    )
        return call(*args, **kwargs)

    return checked


def _text(path: Path) -> str:
    where = f"argument {path[1]}" if path[0] == "arg" else f"`{path[1]}`"
    return where + "".join(f"[{key!r}]" for key in path[2:])
