"""States of optimizers as plain dicts, and back: each part found by its parameter's name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..nn.parameter import Parameter
from .groups import OF_SCHEDULERS, Group, names_of

State = dict[str, Any]
_OWN = ("params", "param_names")


def dumped(groups: list[Group], state: Mapping[Parameter, State]) -> dict[str, Any]:
    """All groups and what is kept, copied, with parameters numbered through the groups."""
    numbers: dict[Parameter, int] = {}
    for group in groups:
        for parameter in group["params"]:
            numbers[parameter] = len(numbers)
    names = names_of(groups)
    out = []
    for i, group in enumerate(groups):
        entry = {key: value for key, value in group.items() if key not in _OWN}
        entry["params"] = [numbers[parameter] for parameter in group["params"]]
        if names is not None:
            entry["param_names"] = list(names[i])
        out.append(entry)
    kept = {
        numbers[parameter]: {name: _copied(value) for name, value in entries.items()}
        for parameter, entries in state.items()
    }
    return {"state": kept, "param_groups": out}


def _copied(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


@dataclass(frozen=True, slots=True)
class Matched:
    """A state that has been found to belong to an optimizer's groups."""

    options: list[Group]  # one for each of the optimizer's groups
    state: dict[Parameter, State]

    def check_kept(self, parameter: Parameter, wanted: tuple[str, ...]) -> None:
        """What is kept of a parameter is nothing yet, or what these options need.

        Raises:
            ValueError: something is missing, or belongs to another kind of optimizer.
        """
        found = self.state.get(parameter, {}).keys()
        if found and found != set(wanted):
            raise ValueError(
                f"the state keeps {', '.join(sorted(found))} of a parameter; with its "
                f"options this optimizer keeps {', '.join(wanted) or 'nothing'}"
            )


def matched(state_dict: Any, groups: list[Group]) -> Matched:
    """What in ``state_dict`` belongs to which group and parameter.

    Raises:
        TypeError: it is no dict with the keys ``state`` and ``param_groups``.
        ValueError: groups or parameters differ, or an array does not fit its parameter.
    """
    if (
        not isinstance(state_dict, Mapping)
        or not {"state", "param_groups"} <= state_dict.keys()
    ):
        raise TypeError(
            "the state of an optimizer is a dict with 'state' and 'param_groups'"
        )
    saved: list[Group] = list(state_dict["param_groups"])
    owners: dict[int, Parameter] = {}
    options = []
    for group, loaded, order in _pairs(groups, saved):
        _same_options(loaded.keys(), group.keys())
        options.append({key: loaded[key] for key in loaded if key not in _OWN})
        owners.update(zip(loaded["params"], order, strict=True))
    kept = {}
    for number, entries in state_dict["state"].items():
        if int(number) not in owners:
            raise ValueError(
                f"the state keeps something of a parameter {number} it has not"
            )
        parameter = owners[int(number)]
        kept[parameter] = {
            name: _fitted(name, value, parameter)
            for name, value in entries.items()
            if value is not None
        }
    return Matched(options, kept)


def _same_options(loaded: Set[str], own: Set[str]) -> None:
    differ = (loaded ^ own) - OF_SCHEDULERS - set(_OWN)
    if differ:
        raise ValueError(
            f"only one of state and optimizer has the option {min(differ)!r}: "
            "the state is that of another optimizer"
        )


def _fitted(name: str, value: Any, parameter: Parameter) -> Any:
    """A copy of what is kept, as the parameter needs it."""
    if name == "step":
        return int(value)
    value = np.asarray(value)
    if value.shape != parameter.shape:
        raise ValueError(
            f"the state has {name!r} of shape {value.shape} for a parameter of shape "
            f"{parameter.shape}"
        )
    out = np.empty_like(parameter.data)
    np.copyto(out, value, casting="same_kind")
    return out


def _pairs(
    groups: list[Group], saved: list[Group]
) -> Iterable[tuple[Group, Group, list[Parameter]]]:
    """Each group, the saved one that belongs to it, and its parameters in the saved order."""
    if len(groups) != len(saved):
        raise ValueError(f"the state has {len(saved)} groups, the optimizer {len(groups)}")
    names = names_of(groups)
    if names is None or not all("param_names" in group for group in saved):
        yield from _by_order(groups, saved)
        return
    missing = {n for group in names for n in group} ^ {
        n for group in saved for n in group["param_names"]
    }
    if missing:
        raise ValueError(
            f"only one of state and optimizer has {', '.join(sorted(missing))}"
        )
    for group, own in zip(groups, names, strict=True):
        loaded = next((s for s in saved if set(s["param_names"]) == set(own)), None)
        if loaded is None:
            raise ValueError(f"no group of the state has just {', '.join(own)}")
        called = dict(zip(own, group["params"], strict=True))
        yield group, loaded, [called[name] for name in loaded["param_names"]]


def _by_order(
    groups: list[Group], saved: list[Group]
) -> Iterable[tuple[Group, Group, list[Parameter]]]:
    for i, (group, loaded) in enumerate(zip(groups, saved, strict=True)):
        own = group["params"]
        if len(own) != len(loaded["params"]):
            raise ValueError(
                f"group {i} has {len(own)} parameters, in the state {len(loaded['params'])}"
            )
        yield group, loaded, own
