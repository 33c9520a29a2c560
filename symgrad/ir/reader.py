"""One line of IR text, word by word: literals, types, lengths."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from ..errors import InternalError
from . import dims as lengths
from .dims import Call, Dim, Dimension, Sym
from .indexing import NEWAXIS, Gather, Mask, Operand, Slice
from .types import BOOL, COMPLEX, FLOAT, INT, ArrayType, ListType, ObjectType, Type

T = TypeVar("T")

WORDS = re.compile(
    r"""\s*(?:(?P<string>[bru]?'(?:[^'\\]|\\.)*'|[bru]?"(?:[^"\\]|\\.)*")
    |(?P<number>(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)j?)
    |(?P<name>[^\W\d]\w*(?:\.\w+)*)
    |(?P<mark>->|--|>=|!=|//|[-+*/()\[\]{}<>:,=$]))""",
    re.VERBOSE,
)
SCALARS: dict[str, Type] = {"bool": BOOL, "int": INT, "float": FLOAT, "complex": COMPLEX}
LITERALS = {
    "True": True,
    "False": False,
    "None": None,
    "nan": float("nan"),
    "inf": float("inf"),
}
PYTHON = {"bool": bool, "int": int, "float": float, "complex": complex}


class Reader:
    """The words of one line. ``symbols`` are those with more known about them than usual."""

    def __init__(self, line: str, symbols: Mapping[str, Sym]) -> None:
        self.line = line
        self.symbols = symbols
        self.words: list[str] = []
        self.ends: list[int] = []
        self.at = 0
        position = 0
        while match := WORDS.match(line, position):
            position = match.end()
            self.words.append(match.group().strip())
            self.ends.append(position)
        if line[position:].split("#")[0].strip():
            raise self.fault(f"cannot read {line[position:].strip()!r}")

    # -- words --------------------------------------------------------------------------
    def fault(self, reason: str) -> InternalError:
        return InternalError(f"{reason} in the line\n    {self.line.strip()}")

    def ahead(self, k: int = 0) -> str:
        """The word ``k`` words ahead, empty at the end."""
        return self.words[self.at + k] if self.at + k < len(self.words) else ""

    def accept(self, word: str) -> bool:
        """Step over ``word`` if it comes next."""
        if self.ahead() != word or not word:
            return False
        self.at += 1
        return True

    def expect(self, *words: str) -> None:
        for word in words:
            if not self.accept(word):
                raise self.fault(f"{word!r} expected, not {self.ahead()!r},")

    def name(self) -> str:
        word = self.ahead()
        if not _is_name(word):
            raise self.fault(f"a name expected, not {word!r},")
        self.at += 1
        return word

    def integer(self) -> int:
        sign = -1 if self.accept("-") else 1
        word = self.ahead()
        if not word.isdigit():
            raise self.fault(f"an integer expected, not {word!r},")
        self.at += 1
        return sign * int(word)

    def after(self, word: str, what: Callable[[], T]) -> T:
        self.expect(word)
        return what()

    def items(self, end: str, item: Callable[[], T]) -> list[T]:
        """Items between commas up to ``end`` (the end of the line if empty)."""
        found: list[T] = []
        while self.ahead() != end:
            found.append(item())
            if not self.accept(","):
                break
        if end:
            self.expect(end)
        return found

    def rest(self) -> str:
        """The rest of the line as it stands."""
        start = self.ends[self.at - 1]
        self.at = len(self.words)
        return self.line[start:].strip()

    def is_assignment(self) -> bool:
        """Whether names and an equals sign come next."""
        k = 1
        while self.ahead(k) == ",":
            k += 2
        return self.ahead(k) == "="

    def is_call(self) -> bool:
        return self.ahead(1) == "("

    # -- lengths and types --------------------------------------------------------------
    def dimension(self) -> Dimension:
        total = self._term()
        while self.ahead() in ("+", "-"):
            sign = 1 if self.accept("+") else -1
            if sign < 0:
                self.expect("-")
            total = lengths.add(total, lengths.multiply(sign, self._term()))
        return total

    def _term(self) -> Dimension:
        if self.accept("-"):
            return lengths.multiply(-1, self._term())
        total = self._atom()
        while self.ahead() in ("*", "//"):
            if self.accept("*"):
                total = lengths.multiply(total, self._atom())
            else:
                self.expect("//")
                total = Dim({(Call("floordiv", (total, self._atom())),): 1})
        return total

    def _atom(self) -> Dimension:
        if self.accept("("):
            inner = self.dimension()
            self.expect(")")
            return inner
        if self.ahead().isdigit():
            return self.integer()
        name = self.name()
        if name in ("max", "min", "slice", "floordiv") and self.accept("("):
            args = tuple(self.items(")", self.dimension))
            return Dim({(Call(name, args),): 1})
        return Dim({(self.symbols.get(name, Sym(name)),): 1})

    def type(self) -> Type:
        name = self.name()
        if name in ("list", "sequence"):
            self.expect("[")
            element = self.type()
            self.expect("]")
            return ListType(element, name == "sequence")
        if name == "object":
            start = self.ends[self.at]
            while not self.accept("]"):
                self.at += 1
            return ObjectType(self.line[start : self.ends[self.at - 1] - 1])
        if name in SCALARS and self.ahead() != "[":
            return SCALARS[name]
        self.expect("[")
        return ArrayType(np.dtype(name), tuple(self.items("]", self.dimension)))

    def value_type(self) -> tuple[Type, Dimension | None]:
        """A type, and the length that an integer is known to be."""
        type = self.type()
        if not self.accept("("):
            return type, None
        d = self.dimension()
        self.expect(")")
        return type, d

    # -- literals -----------------------------------------------------------------------
    def literal(self) -> Any:
        """An attribute or a constant."""
        if self.accept("-"):
            return -self.literal()
        if self.accept("("):
            return tuple(self.items(")", self.literal))
        if self.accept("["):
            return self.items("]", self.literal)
        if self.accept("{"):
            return dict(
                self.items("}", lambda: (self.literal(), self.after(":", self.literal)))
            )
        word = self.ahead()
        if not word:
            raise self.fault("a literal expected")
        self.at += 1
        if word in LITERALS:
            return LITERALS[word]
        if word == "type":
            return self.type()
        if word == "at":
            self.expect("[")
            return tuple(self.items("]", self._index_item))
        if _is_name(word):
            return self._named(word)
        if not re.match(r"[\w.'\"]", word):
            raise self.fault(f"a literal expected, not {word!r},")
        return ast.literal_eval(word)

    def _named(self, word: str) -> Any:
        """A dtype, or a number or array of one."""
        if word == "complex" and self.accept("("):
            real, imaginary = self.items(")", self.literal)
            return complex(real, imaginary)
        if word == "ndarray" and self.accept("("):
            entries, dtype = self.items(")", self.literal)
            return np.array(entries, dtype)
        if word in PYTHON and self.ahead() != "(":
            return PYTHON[word]
        if not isinstance(getattr(np, word, None), type):
            raise self.fault(f"a literal expected, not {word!r},")
        if self.accept("("):
            [number] = self.items(")", self.literal)
            return np.dtype(word).type(number)
        return np.dtype(word)

    def _index_item(self) -> Any:
        if self.accept("newaxis"):
            return NEWAXIS
        for word, item in (("gather", Gather), ("mask", Mask)):
            if self.accept(word):
                return item(self.integer())
        start = self._bound()
        if not self.accept(":"):
            return start
        stop = self._bound()
        return Slice(start, stop, self._bound() if self.accept(":") else None)

    def _bound(self) -> Any:
        if self.accept("$"):
            return Operand(self.integer())
        return None if self.ahead() in (":", ",", "]") else self.integer()


def _is_name(word: str) -> bool:
    return word.split(".")[0].isidentifier()
