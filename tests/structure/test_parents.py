"""How structures print."""

from __future__ import annotations

import pytest

from savvybayes.structure.parents import Parents


def lines(*text: str) -> str:
    """Join lines."""
    return "\n".join(text)


def test_a_tree_prints_as_a_tree() -> None:
    """Children hang under their parent, in their order, to any depth."""
    parents = Parents({"a": (), "b": ("a",), "c": ("b",), "d": ("a",), "e": ("b",), "f": ("d",)})
    assert str(parents) == lines(
        "a",
        "├─ b",
        "│  ├─ c",
        "│  └─ e",
        "└─ d",
        "   └─ f",
    )


def test_a_forest_prints_each_tree_under_its_root() -> None:
    """Attributes without parents begin trees of their own."""
    assert str(Parents({"a": (), "b": (), "c": ("a",)})) == lines("a", "└─ c", "b")


def test_names_may_be_positions() -> None:
    """Columns without names print as their numbers."""
    assert str(Parents({0: (), 2: (0,), 11: (2,)})) == lines("0", "└─ 2", "   └─ 11")


def test_several_parents_print_as_arrows() -> None:
    """Where one has more than one parent there is a line for each attribute, arrows below each other."""
    parents = Parents({"sex": (), "class": ("sex",), "age": ("class", "sex")})
    assert str(parents) == lines("sex", "class <- sex", "age   <- class, sex")


def test_no_arcs_print_as_independence() -> None:
    """A structure without arcs says so, and names its attributes."""
    assert str(Parents({"a": (), 1: ()})) == "independent given the class: a, 1"


def test_no_attributes_print_as_the_prior() -> None:
    """With nothing left, the model is the prior, and the text says so."""
    assert str(Parents({})) == "no attributes: the prior of the classes"


def test_a_structure_for_each_class_prints_one_after_the_other() -> None:
    """Each class has its name above its own tree."""
    parents = Parents({"no": {"a": (), "b": ("a",)}, "yes": {"a": (), "b": ()}})
    assert str(parents) == lines(
        "class no",
        "a",
        "└─ b",
        "",
        "class yes",
        "independent given the class: a, b",
    )


def test_classes_without_attributes_print_as_the_prior() -> None:
    """Also where each class has a structure of its own, one without attributes reads as a sentence."""
    text = str(Parents({"no": {}, "yes": {}}))
    assert "the prior of the classes" in text
    assert not any(line.endswith((" ", ":")) for line in text.splitlines())


def test_a_child_before_its_parent_is_shown_under_it() -> None:
    """The order of the attributes does not matter to where they hang."""
    assert str(Parents({"c": ("b",), "b": ("a",), "a": ()})) == lines("a", "└─ b", "   └─ c")


def test_a_deep_tree_prints() -> None:
    """A chain of 2,000 attributes does not exhaust Python's stack."""
    n = 2000
    text = str(Parents({i: ((i - 1,) if i else ()) for i in range(n)}))
    last = text.splitlines()[-1]
    assert last.strip() == f"└─ {n - 1}"
    assert len(last) == 3 * (n - 1) + len(str(n - 1))


def test_a_structure_is_a_value() -> None:
    """Structures of equal parents are equal, and cannot be changed."""
    parents = Parents({"a": (), "b": ("a",)})
    assert parents == Parents({"a": (), "b": ("a",)})
    assert parents != Parents({"a": (), "b": ()})
    with pytest.raises(AttributeError):
        parents.parents = {}  # type: ignore[misc]
