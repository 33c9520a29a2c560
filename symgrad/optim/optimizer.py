"""``Optimizer``: what all optimizers have, the groups, the step, hooks and states."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..nn.handles import RemovableHandle, added
from ..nn.parameter import Parameter
from .checks import checked
from .groups import Group, check_apart, completed, read_groups
from .kernels import Array, Scratch
from .states import State, dumped, matched

Hook = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class StepHooks:
    """Hooks of an optimizer, by number."""

    before: Mapping[int, Hook] = field(default_factory=dict)
    after: Mapping[int, Hook] = field(default_factory=dict)


class Update(NamedTuple):
    """One parameter that is about to be moved: all that its update reads and writes."""

    x: Array
    g: Array
    state: State
    fresh: bool  # what is kept has just been made, of zeros
    work: tuple[Array, Array]


class Optimizer(ABC):
    """Moves parameters along their gradients, in place.

    Args:
        params: an iterable of ``nn.Parameter``, of pairs (name, parameter), or of groups:
            dicts with ``params`` and options of their own.
        defaults: the options of groups that do not say otherwise.

    ``param_groups`` are the groups; their options may be changed between steps. ``state`` has
    what is kept of each parameter. A parameter whose ``grad`` is None is passed over.

    Raises:
        TypeError, ValueError, KeyError: what is passed is none of these, a parameter is there
            twice, or an option is of the wrong kind or out of its range.

    >>> p = nn.Parameter(np.array([1.0]))
    >>> opt = optim.SGD([p], lr=0.1)
    >>> p.grad = np.array([2.0])
    >>> opt.step()
    >>> p.data
    array([0.8])
    """

    def __init__(self, params: Any, defaults: Mapping[str, Any]) -> None:
        self.defaults = checked(defaults, defaults)
        self.param_groups: list[Group] = []
        self.state: dict[Parameter, State] = {}
        self.steps_taken = 0
        self._scratch = Scratch()
        self._hooks: StepHooks | None = None
        self._add(read_groups(params))

    # -- what each optimizer says -------------------------------------------------------
    @abstractmethod
    def _kept(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        """What is kept of a parameter: ``step``, a count, and names of arrays."""

    @abstractmethod
    def _update(self, update: Update, options: Mapping[str, Any]) -> None:
        """Move one parameter, and what is kept of it."""

    # -- groups -------------------------------------------------------------------------
    def add_param_group(self, group: Group) -> None:
        """Optimise more parameters, with options of their own or the defaults.

        Raises:
            TypeError, ValueError, KeyError: as when the optimizer is made; nothing is added.
        """
        self._add([group])

    def _add(self, groups: list[Group]) -> None:
        new = [completed(group, self.defaults) for group in groups]
        for group in new:
            group.update(checked(group, self.defaults))
        check_apart([*self.param_groups, *new])
        self.param_groups.extend(new)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget all gradients: None, or zeros in the arrays that are there."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if set_to_none:
                    parameter.grad = None
                elif parameter.grad is not None:
                    parameter.grad.fill(0)

    # -- the step -----------------------------------------------------------------------
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Move every parameter that has a gradient.

        Args:
            closure: called first, to compute the gradients.

        Returns:
            What ``closure`` returned, or None.

        Raises:
            TypeError, ValueError, KeyError: an option has been changed to what it cannot be, or
                a parameter cannot be written to, or its gradient or what is kept of it do not
                fit its shape; nothing has been moved.
        """
        args: tuple[Any, ...] = () if closure is None else (closure,)
        kwargs: dict[str, Any] = {}
        for hook in self._hooks.before.values() if self._hooks else ():
            args, kwargs = _replaced(hook(self, args, kwargs), args, kwargs)
        loss = _call_closure(*args, **kwargs)
        ready = self._all_ready()
        with np.errstate(all="ignore"):  # a warning in the middle would leave half a step
            for parameter, update, options in ready:
                self.state[parameter] = update.state
                self._update(update, options)
        self.steps_taken += 1
        for hook in self._hooks.after.values() if self._hooks else ():
            hook(self, args, kwargs)
        return loss

    def _all_ready(self) -> list[tuple[Parameter, Update, dict[str, Any]]]:
        """All updates of a step, found good, before the first is made."""
        ready = []
        for group in self.param_groups:
            options = checked(group, self.defaults)
            for parameter in group["params"]:
                if parameter.grad is not None:
                    ready.append((parameter, self._ready(parameter, options), options))
        return ready

    def _ready(self, parameter: Parameter, options: Mapping[str, Any]) -> Update:
        """What the update of a parameter needs, all found good, all memory reserved."""
        x, g = parameter.data, parameter.grad
        assert g is not None
        if not x.flags.writeable:
            raise ValueError(f"{_title(parameter)} is read-only")
        if g.shape != x.shape or g.dtype != x.dtype:
            raise ValueError(
                f"{_title(parameter)} is {x.dtype} of shape {x.shape}, its gradient "
                f"{g.dtype} of shape {g.shape}"
            )
        state = self.state.get(parameter, {})
        wanted = self._kept(options)
        missing = [name for name in wanted if name not in state]
        if missing:
            new = {name: 0 if name == "step" else np.zeros_like(x) for name in missing}
            state = {**state, **new}
        for name in wanted:
            if name != "step" and state[name].shape != x.shape:
                raise ValueError(
                    f"{_title(parameter)} has shape {x.shape}, but {name!r} was kept for "
                    f"shape {state[name].shape}"
                )
        narrow = [
            name for name in wanted if name != "step" and state[name].dtype != x.dtype
        ]
        if narrow:  # the parameter has been converted
            state = {**state, **{name: state[name].astype(x.dtype) for name in narrow}}
        return Update(x, g, state, bool(missing), self._scratch.like(x))

    # -- hooks --------------------------------------------------------------------------
    def register_step_pre_hook(self, hook: Hook) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` before each step, with the arguments of
        ``step``; it may return another (args, kwargs).

        Raises:
            TypeError: ``hook`` cannot be called.
        """
        return added(self, StepHooks(), "before", hook)

    def register_step_post_hook(self, hook: Hook) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` after each step.

        Raises:
            TypeError: ``hook`` cannot be called.
        """
        return added(self, StepHooks(), "after", hook)

    # -- states -------------------------------------------------------------------------
    def state_dict(self) -> dict[str, Any]:
        """A copy of all that is kept and of all options, as dicts, lists and arrays.

        ``sg.save`` writes it to a file. Parameters are numbered through all groups; where they
        have names, ``param_names`` holds them.
        """
        return dumped(self.param_groups, self.state)

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Take over a state. Where both sides have names these say which is whose, in any
        order of parameters and groups; else their order does.

        Raises:
            TypeError: it is no such dict.
            ValueError: it has other groups, parameters or options; nothing has been changed.
        """
        found = matched(state_dict, self.param_groups)
        options = [checked(group, self.defaults) for group in found.options]
        for group, state_group in zip(self.param_groups, options, strict=True):
            for parameter in group["params"]:
                found.check_kept(parameter, self._kept(state_group))
        self.state = found.state
        for group, loaded, plain in zip(
            self.param_groups, found.options, options, strict=True
        ):
            group.update(loaded)
            group.update(plain)

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for i, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {i}")
            shown = sorted(group.keys() - {"params", "param_names"})
            lines += [f"    {name}: {group[name]}" for name in shown]
        return "\n".join([*lines, ")"])


def _title(parameter: Parameter) -> str:
    return f"the parameter {parameter.name!r}" if parameter.name else "a parameter"


def _call_closure(closure: Callable[[], Any] | None = None) -> Any:
    return None if closure is None else closure()


def _replaced(
    result: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments after a hook that may have returned others."""
    if result is None:
        return args, kwargs
    fits = isinstance(result, tuple) and len(result) == 2
    if not fits or not isinstance(result[0], tuple) or not isinstance(result[1], dict):
        raise TypeError(f"a step hook returns None or (args, kwargs), not {result!r}")
    return result[0], result[1]
