"""The figures as lines of text, each printed as soon as it is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from figure import Figure, LeftOut
from peers import Score
from tables import Shape

HEAD = f"{'what':<42}{'ours':>9}   {'beside':<36}{'theirs':>9}{'ratio':>10}{'bar':>8}    {'since last run'}"
LEGEND = """\
The ratio is ours / theirs: the least times of each, in turns taken in this run. The bar is the most it should be; where
it is more, << says so. Of memory and of slopes, ours itself is held against the bar."""
# Load is the number of processes that ran in the minute before.
BUSY = 0.5
SCORE_HEAD = f"  {'':<18}{'fit':>10}{'predict':>10}{'log-loss':>10}"


def figure_line(figure: Figure, last: float | None) -> str:
    """One line of the table; `<<` marks a bar that is not met."""
    compared = f"  {figure.what:<40}{_amount(figure, figure.ours):>9}   {figure.beside:<36}"
    bar = "" if figure.bar is None else f"{figure.bar:g} MB" if figure.kind == "MB" else f"{figure.bar:g}"
    value = f"{figure.value:.3g}" if figure.kind == "ratio" else ""
    change = "" if last is None else f"{figure.value / last - 1:>+8.0%}"
    judged = f"{_amount(figure, figure.theirs):>9}{value:>10}{bar:>8} {'' if figure.met else '<<':<3}"
    return (compared + judged + change).rstrip()


def left_out_line(left_out: LeftOut) -> str:
    """What is not measured, and why."""
    return f"  {left_out.what}: left out, {left_out.reason}"


def score_heading(name: str, shape: Shape, least_log_loss: float) -> str:
    """The table that follows, and what the distribution that it was drawn from would reach."""
    return f"({name}) {shape}; {shape.held_out:,} held out; log-loss of the truth {least_log_loss:.3f}"


def score_line(score: Score, shape: Shape) -> str:
    """One peer on one table."""
    notes = []
    if score.fit_rows < shape.rows:
        notes.append(f"fit on {score.fit_rows:,} rows")
    if score.predicted_rows < shape.held_out:
        notes.append(f"predicts {score.predicted_rows:,} rows")
    figures = f"{in_seconds(score.fit):>10}{in_seconds(score.predict):>10}{score.log_loss:>10.3f}"
    return f"  {score.name:<18}{figures}   {', '.join(notes)}".rstrip()


def machine_lines(facts: Mapping[str, Any]) -> str:
    """Where and with what this is measured."""
    versions = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    cores = f"{facts['cores']} cores, {facts['threads']} threads, {facts['instructions']} kernels"
    return f"{facts['processor']}, {cores}\nPython {facts['python']}, {versions}{_warning(facts['load'])}"


def _warning(load: float | None) -> str:
    if load is None or load < BUSY:
        return ""
    return f"\nThe machine is busy (load {load:.1f}): two threads suffer more by that than one."


def in_seconds(seconds: float) -> str:
    """Three digits, in a unit that suits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}" if seconds < 1000 * size else f"{seconds / size:.0f} {unit}"
    return f"{seconds * 1e6:.3g} us"


def _amount(figure: Figure, amount: float) -> str:
    return {"ratio": in_seconds(amount), "MB": f"{amount:.0f} MB", "slope": f"{amount:.2f}"}[figure.kind]
