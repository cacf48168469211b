"""All benchmarks: ratios of times measured by turns in this run, each with the bar it is held against.

Nothing is asserted. A bar is the most that a ratio should be; what misses it is marked.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from itertools import chain
from pathlib import Path

# Peers whose threads spin while they wait take ten times as long where anything else runs; read when they are loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import growth
import kept
import kernels
import learners
import limit
import machine
import memory
import peers
import small
import strings
import tables
import wide
from figure import Figure, Figures
from report import HEAD, LEGEND, SCORE_HEAD, figure_line, left_out_line, machine_lines, score_heading, score_line


def _of_table(name: str) -> Figures:
    return chain(learners.figures(name), limit.figures(name))


def _in_checkout(path: Path) -> Path:
    return path.relative_to(kept.CHECKOUT)


# What is measured, under the name by which it can be asked for alone.
PARTS: dict[str, tuple[str, Callable[[], Figures]]] = {
    **{name: (f"({name}) {shape}", partial(_of_table, name)) for name, shape in tables.SHAPES.items()},
    "memory": ("(b) most memory of fit over the input", memory.figures),
    "strings": ("100,000 rows x 20 strings in a pandas data frame", strings.figures),
    "kernels": ("single kernels", kernels.figures),
    "wide": ("710 news x 3440 words, 3 topics", wide.figures),
    "small": ("150 rows x 4 attributes, int64", small.figures),
    "growth": (
        f"growth of TAN.fit on log-log paper, drawn in {growth.PICTURE.relative_to(kept.CHECKOUT)}",
        growth.figures,
    ),
}
ALL = (*PARTS, "peers")


def main() -> None:
    """Print what was asked for as it comes, and keep it."""
    asked = _arguments()
    facts = machine.facts()
    print(machine_lines(facts), flush=True)
    records = []
    if set(asked) & set(PARTS):
        print(f"\n{LEGEND}\n\n{HEAD}")
    for part in asked:
        records += _peers() if part == "peers" else _figures(part)
    kept.keep(facts, asked, [{**record, "date": facts["date"]} for record in records])
    held = [record["met"] for record in records if record.get("bar") is not None]
    print(f"\n{held.count(False)} of {len(held)} bars are not met. Kept in {_in_checkout(kept.FIGURES)}")


def _arguments() -> list[str]:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__.splitlines()[0] if __doc__ else "")
    some = f"some of: {', '.join(ALL)}"
    parser.add_argument("--only", nargs="+", choices=ALL, metavar="PART", default=ALL, help=some)
    asked = parser.parse_args().only
    return [part for part in ALL if part in asked]


def _figures(part: str) -> list[kept.Record]:
    """The lines of a part, and its records."""
    title, measure = PARTS[part]
    last = kept.last_values()
    records = []
    print(f"\n{title}", flush=True)
    for figure in measure():
        record = {"part": part, **asdict(figure)}
        if isinstance(figure, Figure):
            record |= {"value": figure.value, "met": figure.met}
            print(figure_line(figure, last.get((part, figure.what, figure.beside))), flush=True)
        else:
            print(left_out_line(figure), flush=True)
        records.append(record)
    return records


def _peers() -> list[kept.Record]:
    """How good the probabilities are, and at what price."""
    records = []
    lacking = peers.lacking()
    print(f"\nProbabilities of rows held out, codes in int64{_to_install(lacking)}")
    for name, shape in tables.SHAPES.items():
        print(f"\n{score_heading(name, shape, tables.table(name).least_log_loss)}\n{SCORE_HEAD}", flush=True)
        for score in peers.scores(name):
            print(score_line(score, shape), flush=True)
            records.append({"part": "peers", "table": name, **asdict(score)})
    return records


def _to_install(lacking: list[str]) -> str:
    return f" (not installed: {', '.join(lacking)}; `make bench PEERS=yes` does)" if lacking else ""


if __name__ == "__main__":
    main()
