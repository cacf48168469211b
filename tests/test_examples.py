"""What is shown to newcomers runs: the gallery, and the README's lines of use."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("[0-9]*.py")), ids=lambda path: path.stem)
def test_example_runs(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An example of the gallery runs as a script and has something to say."""
    runpy.run_path(str(example), run_name="__main__")
    assert len(capsys.readouterr().out.splitlines()) > 10


def test_first_look_compares_all_models_on_all_tables(capsys: pytest.CaptureFixture[str]) -> None:
    """The demo prints a figure for each model and table, and marks a best one in every row."""
    runpy.run_path(str(ROOT / "examples" / "01_first_look.py"), run_name="__main__")
    rows = [line for line in capsys.readouterr().out.splitlines() if re.match(r".+ \(\d+ x \d+\) ", line)]
    assert len(rows) == 15  # = 5 tables * 3 measures
    for row in rows:
        assert len(re.findall(r" \d+\.\d+", row)) == 5
        assert "*" in row


def test_readme_use_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    """The README's example runs and prints the schema and the structure that stand below it."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    code, after = re.split(r"```python\n|```\n", readme)[1:3]
    exec(compile(code, "README.md", "exec"), {})
    printed = [line.rstrip() for line in capsys.readouterr().out.splitlines() if line.strip()]
    shown = [line[4:].rstrip() for line in after.splitlines() if line.startswith("    ")]
    assert printed == shown
