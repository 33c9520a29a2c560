"""Reading what is to be optimised: parameters, pairs of name and parameter, or groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..nn.parameter import Parameter

Group = dict[str, Any]

# What schedulers keep in a group beside the optimizer's own options.
OF_SCHEDULERS = frozenset(
    {"initial_lr", "max_lr", "min_lr", "max_momentum", "base_momentum"}
)


def read_groups(params: Any) -> list[Group]:
    """The first argument of an optimizer as a list of groups, as yet unchecked.

    Raises:
        TypeError: no iterable of parameters, or dicts and parameters mixed.
        ValueError: nothing is there.
    """
    if isinstance(params, Parameter | np.ndarray):
        raise TypeError("an optimizer takes an iterable of parameters: write [parameter]")
    if isinstance(params, Mapping):
        raise TypeError("groups are given as a list of dicts: write [group]")
    _ordered(params)
    found = list(params)
    if not found:
        raise ValueError("an optimizer needs at least one parameter; the iterable is empty")
    dicts = sum(isinstance(entry, dict) for entry in found)
    if dicts == 0:
        return [{"params": found}]
    if dicts < len(found):
        raise TypeError("either every entry is a group (a dict), or every one a parameter")
    return found


def completed(group: Any, defaults: Mapping[str, Any]) -> Group:
    """A new group with its parameters listed, and options filled in from ``defaults``.

    Raises:
        KeyError: the group has no ``params``.
        TypeError: what is in ``params`` are no parameters.
        ValueError: an option the optimizer does not have; a parameter that is there twice.
    """
    if not isinstance(group, dict):
        raise TypeError(f"a group is a dict, not {type(group).__name__}")
    if "params" not in group:
        raise KeyError("a group needs the key 'params'")
    unknown = group.keys() - defaults.keys() - OF_SCHEDULERS - {"params", "param_names"}
    if unknown:
        known = ", ".join(sorted(defaults))
        raise ValueError(f"unknown option {min(unknown)!r} in a group; there are {known}")
    names, parameters = _members(group["params"])
    rest = {
        key: value for key, value in group.items() if key not in ("params", "param_names")
    }
    named = {} if names is None else {"param_names": names}
    return {"params": parameters, **named, **defaults, **rest}


def _ordered(params: Any) -> None:
    if isinstance(params, set | frozenset):
        raise TypeError("a set has no order, and states are matched by it: write a list")
    if isinstance(params, str | bytes) or not isinstance(params, Iterable):
        raise TypeError(
            f"an optimizer takes an iterable of parameters, not {type(params).__name__}; "
            "for a module write module.parameters()"
        )


def _members(params: Any) -> tuple[list[str] | None, list[Parameter]]:
    """The names, if the members are pairs, and the parameters."""
    if isinstance(params, Parameter):
        params = [params]
    _ordered(params)
    members = list(params)
    pairs = [_is_pair(member) for member in members]
    if any(pairs) and not all(pairs):
        raise ValueError("either all parameters of a group have names, or none")
    names = [member[0] for member in members] if any(pairs) else None
    parameters = [member[1] for member in members] if any(pairs) else members
    for parameter in parameters:
        _check_parameter(parameter)
    return names, parameters


def _is_pair(member: Any) -> bool:
    return isinstance(member, tuple) and len(member) == 2 and isinstance(member[0], str)


def _check_parameter(x: Any) -> None:
    if not isinstance(x, Parameter):
        raise TypeError(f"an optimizer changes nn.Parameter, not {type(x).__name__}")
    if x.dtype.kind != "f":
        raise TypeError(f"a parameter of {x.dtype} cannot be optimised: floats can")


def check_apart(groups: Iterable[Group]) -> None:
    """Every parameter and every name is there once.

    Raises:
        ValueError: one is there twice, or only some groups have names.
    """
    groups = list(groups)
    parameters = [parameter for group in groups for parameter in group["params"]]
    if len({id(parameter) for parameter in parameters}) < len(parameters):
        raise ValueError("a parameter is there twice: it would be updated twice a step")
    named = ["param_names" in group for group in groups if group["params"]]
    if any(named) and not all(named):
        raise ValueError("either all groups have parameters with names, or none")
    names = [name for group in groups for name in group.get("param_names", ())]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two parameters are called {twice!r}")


def names_of(groups: Iterable[Group]) -> list[list[str]] | None:
    """The names of all parameters by group; None if they do not tell them apart.

    Names given in pairs count, else the parameters' own.
    """
    groups = list(groups)
    found = [
        group.get("param_names", [parameter.name for parameter in group["params"]])
        for group in groups
    ]
    flat = [name for names in found for name in names]
    return None if None in flat or len(set(flat)) < len(flat) else found
