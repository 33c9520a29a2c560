"""The name under which generated code is known, and real files of it."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from ..emit import Emitted
from .settings import settings


def filename_of(emitted: Emitted, module: str, *, to_file: bool) -> str:
    """A telling name made from the text, so that equal code has an equal name.

    It is that of a real file, which is written, where ``to_file``, ``sg.config(dump_dir=...)`` or
    the environment variable ``SYMGRAD_DUMP_DIR`` asks for it.
    """
    chosen = settings().dump_dir
    directory = os.environ.get("SYMGRAD_DUMP_DIR") if chosen is None else chosen
    digest = _digest(emitted.text)
    if not directory and not to_file:
        return f"<symgrad {module}:{emitted.name}#{digest}>"
    place = Path(directory or Path(tempfile.gettempdir()) / "symgrad")
    place.mkdir(parents=True, exist_ok=True)
    plain = re.sub(r"\W+", "_", f"{module}_{emitted.name}").strip("_")
    path = place.absolute() / f"{plain}_{digest}.py"
    if not path.exists() or path.read_text(encoding="utf-8") != emitted.text:
        path.write_text(emitted.text, encoding="utf-8")
    return str(path)


def _digest(text: str) -> str:
    import hashlib

    return hashlib.blake2b(text.encode(), digest_size=4).hexdigest()


__all__ = ["filename_of"]
