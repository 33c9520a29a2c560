"""``Module``: parameters, buffers and other modules under names, and what is done to all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self

import numpy as np

from .. import extend
from . import printing, registry, state, walking
from .handles import RemovableHandle
from .hooks import ModuleHooks, call_with_hooks, register
from .parameter import Parameter
from .state import LoadResult

Array = np.ndarray[Any, Any]


class Module:
    """The base of layers and models: subclasses write ``__init__`` and ``forward``.

    Assigning a ``Parameter`` or a ``Module`` to an attribute registers it; lists and dicts of
    them do not count: use ``ModuleList``, ``ModuleDict``, ``ParameterList``.

    >>> class Scale(nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = nn.Parameter(np.array([2.0]))
    ...
    ...     def forward(self, x):
    ...         return self.factor * x
    >>> Scale()(np.array([1.0, 3.0]))
    array([2., 6.])
    """

    __symgrad_static__ = True
    training: bool
    _kinds: dict[str, str]
    _hooks: ModuleHooks | None

    def __init__(self) -> None:
        own = self.__dict__
        own["training"] = True
        own["_kinds"] = {}
        own["_hooks"] = None

    def __getattr__(self, name: str) -> Any:
        """Called for what is not there."""
        kind = type(self).__name__
        if name in ("_hooks", "_kinds", "training"):
            raise AttributeError(f"{kind}.__init__ has not called super().__init__()")
        text = f"'{kind}' object has no attribute '{name}'"
        raise AttributeError(text, name=name, obj=self)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The module's computation; every subclass has its own.

        Raises:
            NotImplementedError: this one has none.
        """
        raise NotImplementedError(f"{type(self).__name__} has no method `forward`")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._hooks is None:
            return self.forward(*args, **kwargs)
        return call_with_hooks(self, args, kwargs)

    # -- registering --------------------------------------------------------------------
    def __setattr__(self, name: str, value: Any) -> None:
        registry.assign(self, name, value)

    def __delattr__(self, name: str) -> None:
        object.__delattr__(self, name)
        self._kinds.pop(name, None)

    def register_parameter(self, name: str, parameter: Parameter | None) -> None:
        """Register a parameter, or keep its name free with None.

        Raises:
            TypeError: the name is no string, or the value no parameter.
            ParameterNameError: the name is empty, has a dot, or is an attribute already.
        """
        registry.register_parameter(self, name, parameter)

    def register_buffer(
        self, name: str, array: Array | None, persistent: bool = True
    ) -> None:
        """Register an array that is part of the module's state but not trained; with
        ``persistent=False`` it is not part of ``state_dict()``.

        Raises:
            TypeError: the name is no string, or the value no array.
            ParameterNameError: the name is empty, has a dot, or is an attribute already.
        """
        registry.register_buffer(self, name, array, persistent)

    def register_module(self, name: str, module: Module | None) -> None:
        """Register a child.

        Raises:
            TypeError: the name is no string, or the value no module.
            ParameterNameError: the name is empty, has a dot, or is an attribute already.
        """
        registry.register_module(self, name, module)

    def add_module(self, name: str, module: Module | None) -> None:
        """The same as ``register_module``."""
        self.register_module(name, module)

    def _own(self, kind: str) -> Iterator[tuple[str, Any]]:
        """Names and values of what is registered here, of one kind."""
        for name, each in tuple(self._kinds.items()):
            if each.startswith(kind):
                yield name, self.__dict__[name]

    # -- iterating ----------------------------------------------------------------------
    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Every parameter once: own first, then those of the children."""
        return (p for _, p in self.named_parameters(recurse=recurse))

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """``(dotted name, parameter)``; one with several names comes under its first, or with
        ``remove_duplicate=False`` under each."""
        return walking.named(self, "parameter", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Array]:
        """Every buffer once."""
        return (b for _, b in self.named_buffers(recurse=recurse))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Array]]:
        """``(dotted name, buffer)``."""
        return walking.named(self, "buffer", prefix, recurse, remove_duplicate)

    def children(self) -> Iterator[Module]:
        """The modules registered here, each once."""
        return (m for _, m in self.named_children())

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """``(name, module)`` for the modules registered here."""
        return walking.named(self, "module", "", recurse=False, once=True)

    def modules(self) -> Iterator[Module]:
        """This module and all below it, each once."""
        return (m for _, m in self.named_modules())

    def named_modules(
        self, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """``(dotted name, module)``, this one first, with the name ``prefix``."""
        return walking.modules(self, prefix, remove_duplicate)

    def get_submodule(self, path: str) -> Module:
        """The module of a dotted name; ``""`` is this one.

        Raises:
            AttributeError: there is none.
        """
        return walking.submodule(self, path)

    def get_parameter(self, path: str) -> Parameter:
        """The parameter of a dotted name.

        Raises:
            AttributeError: there is none.
        """
        found: Parameter = walking.lookup(self, "parameter", path)
        return found

    def get_buffer(self, path: str) -> Array:
        """The buffer of a dotted name.

        Raises:
            AttributeError: there is none.
        """
        found: Array = walking.lookup(self, "buffer", path)
        return found

    # -- state --------------------------------------------------------------------------
    def state_dict(self, prefix: str = "") -> dict[str, Array]:
        """Parameters and persistent buffers by dotted name. The arrays are the module's own:
        copy them to keep their values."""
        return state.collected(self, prefix)

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> LoadResult:
        """Copy arrays into parameters and buffers, which keep their dtype: all or none.

        Args:
            state_dict: arrays by dotted name.
            strict: names that are missing or not expected are an error.
            assign: take over the arrays themselves, with their dtype, instead of copying.

        Returns:
            ``(missing_keys, unexpected_keys)``.

        Raises:
            TypeError: ``state_dict`` is no mapping.
            StateDictError: it does not fit; it lists everything that does not.
        """
        return state.load(self, state_dict, strict=strict, assign=assign)

    # -- for all ------------------------------------------------------------------------
    def train(self, mode: bool = True) -> Self:
        """Set ``training`` here and below.

        Raises:
            ValueError: ``mode`` is no bool.
        """
        if not isinstance(mode, bool):
            raise ValueError(f"the training mode is a bool, not {mode!r}")
        for module in self.modules():
            module.__dict__["training"] = mode
        return self

    def eval(self) -> Self:
        """``train(False)``."""
        return self.train(False)

    def apply(self, fn: Callable[[Module], Any]) -> Self:
        """Call ``fn`` with every module below, then with this one."""
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Freeze or thaw every parameter."""
        for parameter in self.parameters():
            parameter.requires_grad = requires_grad
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget every gradient, or with ``set_to_none=False`` fill them with zeros."""
        for parameter in self.parameters():
            if set_to_none:
                parameter.grad = None
            elif parameter.grad is not None:
                parameter.grad.fill(0)

    def to(self, dtype: Any) -> Self:
        """Convert parameters and buffers of floats; parameters stay the same objects.

        Raises:
            TypeError: ``dtype`` is not one of floats or complex numbers.
        """
        state.convert(self, np.dtype(dtype))
        return self

    def float(self) -> Self:
        """``to(np.float32)``."""
        return self.to(np.float32)

    def double(self) -> Self:
        """``to(np.float64)``."""
        return self.to(np.float64)

    def half(self) -> Self:
        """``to(np.float16)``."""
        return self.to(np.float16)

    # -- hooks --------------------------------------------------------------------------
    def register_forward_pre_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
    ) -> RemovableHandle:
        """Call ``hook(module, args)`` before ``forward``; what it returns, if not None, takes
        the place of the positional arguments. With ``with_kwargs``: ``hook(module, args,
        kwargs)``, which returns None or ``(args, kwargs)``.

        Raises:
            TypeError: ``hook`` cannot be called.
        """
        return register(self, "pre", hook, prepend=prepend, with_kwargs=with_kwargs)

    def register_forward_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after ``forward``; what it returns, if not None,
        takes the place of the output. With ``with_kwargs``: ``hook(module, args, kwargs,
        output)``. With ``always_call`` also if ``forward`` raises, the output then being None.

        Raises:
            TypeError: ``hook`` cannot be called.
        """
        return register(
            self,
            "forward",
            hook,
            prepend=prepend,
            with_kwargs=with_kwargs,
            always_call=always_call,
        )

    def register_full_backward_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, grad_output)`` before the gradients of this module are computed;
        a tuple that it returns takes the place of ``grad_output``.

        Raises:
            TypeError: ``hook`` cannot be called.
        """
        return register(self, "backward_pre", hook, prepend=prepend)

    def register_full_backward_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` when the gradients by the module's
        inputs are there; a tuple that it returns takes the place of ``grad_input``.

        Raises:
            TypeError: ``hook`` cannot be called.
        """
        return register(self, "backward", hook, prepend=prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Another name for ``register_full_backward_hook``."""
        return self.register_full_backward_hook(hook)

    # -- text ---------------------------------------------------------------------------
    def extra_repr(self) -> str:
        """What the text of the module says besides its class and children."""
        return ""

    def __repr__(self) -> str:
        return printing.text(self)


for _name in (
    "parameters", "named_parameters", "buffers", "named_buffers", "children", "named_children",
    "modules", "named_modules", "get_submodule", "get_parameter", "get_buffer", "state_dict",
):  # fmt: skip
    extend.known_when_compiling(vars(Module)[_name])
