"""The compiled core as Python sees it."""

from __future__ import annotations

import ast
from pathlib import Path

from savvybayes import _kernel
from savvybayes._kernel import _core


def test_stub_names_what_the_core_has() -> None:
    """The stub that type checkers read has the functions, classes and methods of the compiled module, no others."""
    stub = ast.parse((Path(_kernel.__file__).parent / "_core.pyi").read_text(encoding="utf-8"))
    stubbed = {node.name: node for node in stub.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert set(stubbed) == {name for name in vars(_core) if not name.startswith("_")}
    for name, node in stubbed.items():
        if isinstance(node, ast.ClassDef):
            methods = {part.name for part in node.body if isinstance(part, ast.FunctionDef)} - {"__init__"}
            assert methods == {part for part in vars(getattr(_core, name)) if not part.startswith("_")}
