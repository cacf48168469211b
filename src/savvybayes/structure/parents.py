"""Who depends on whom: the structure of a Bayesian network, in the user's own names. Prints as a tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from savvybayes.data.columns import Name

# The parents of each attribute, by numbers.
ParentSets: TypeAlias = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Parents:
    """The parents of each attribute; the class, a parent of all, is not written.

    Attributes
    ----------
    parents : dict
        ``{attribute: (parents...)}``, strongest parent first; where each class has a structure of its own,
        ``{class: {attribute: (parents...)}}``.
    """

    parents: Mapping[Any, Any]

    def __str__(self) -> str:
        if not self.parents or all(isinstance(tree, Mapping) and not tree for tree in self.parents.values()):
            return "no attributes: the prior of the classes"
        if any(isinstance(value, Mapping) for value in self.parents.values()):
            return "\n\n".join(f"class {label}\n{_drawn(tree)}" for label, tree in self.parents.items())
        return _drawn(self.parents)


def _drawn(parents: Mapping[Name, tuple[Name, ...]]) -> str:
    """A tree under each root where all have at most one parent, otherwise a line for each attribute."""
    if all(not own for own in parents.values()):
        return "independent given the class: " + ", ".join(map(str, parents))
    if any(len(own) > 1 for own in parents.values()):
        width = max(len(str(name)) for name in parents)
        return "\n".join(
            f"{name!s:<{width}} <- {', '.join(map(str, own))}" if own else str(name) for name, own in parents.items()
        )
    children: dict[Name, list[Name]] = {name: [] for name in parents}
    for name, own in parents.items():
        for parent in own:
            children[parent].append(name)
    roots = [name for name, own in parents.items() if not own]
    return "\n".join(line for root in roots for line in _branch(root, children))


def _branch(root: Name, children: Mapping[Name, list[Name]]) -> Iterator[str]:
    """The lines of a tree. Without recursion: a tree may be as deep as there are attributes."""
    open_: list[tuple[Name, str, str]] = [(root, "", "")]
    while open_:
        name, lead, below = open_.pop()
        yield f"{lead}{name}"
        own = children[name]
        for i, child in reversed(list(enumerate(own))):
            last = i == len(own) - 1
            open_.append((child, below + ("└─ " if last else "├─ "), below + ("   " if last else "│  ")))
