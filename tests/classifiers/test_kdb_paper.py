"""Table 2 of Sahami (1996): KDB's accuracies on five sets of the UCI repository.

Each mean of a stratified ten-fold cross-validation must lie within the standard deviation that the paper prints.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from savvybayes import KDB

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
FILES = {
    "corral": "corral.csv",
    "led7": "led7.csv",
    "chess": "krkp.csv",
    "dna": "dna.csv.gz",
    "vote": "vote-boolean.csv",
}


class Printed(NamedTuple):
    """A mean and a standard deviation of the paper, in percent."""

    mean: float
    deviation: float


# By set and k: KDB-orig, KDB-theta.
TABLE_2 = {
    ("corral", 0): (Printed(88.4, 10.5), Printed(88.4, 10.5)),
    ("corral", 1): (Printed(100.0, 0.0), Printed(100.0, 0.0)),
    ("corral", 2): (Printed(96.7, 5.8), Printed(96.7, 5.8)),
    ("corral", 3): (Printed(88.4, 17.2), Printed(100.0, 0.0)),
    ("led7", 0): (Printed(72.9, 2.1), Printed(72.9, 2.1)),
    ("led7", 1): (Printed(73.1, 3.9), Printed(73.0, 2.9)),
    ("led7", 2): (Printed(73.5, 2.3), Printed(72.9, 2.4)),
    ("led7", 3): (Printed(73.2, 2.3), Printed(73.4, 1.3)),
    ("chess", 0): (Printed(86.2, 1.9), Printed(86.2, 1.9)),
    ("chess", 1): (Printed(93.9, 1.3), Printed(93.8, 1.4)),
    ("chess", 2): (Printed(95.1, 1.2), Printed(95.5, 1.6)),
    ("chess", 3): (Printed(94.9, 1.1), Printed(95.3, 1.2)),
    ("dna", 0): (Printed(94.0, 0.9), Printed(94.0, 0.9)),
    ("dna", 1): (Printed(94.0, 1.6), Printed(94.1, 1.1)),
    ("dna", 2): (Printed(95.3, 1.2), Printed(95.6, 1.1)),
    ("dna", 3): (Printed(93.3, 0.9), Printed(95.5, 1.8)),
    ("vote", 0): (Printed(90.2, 3.8), Printed(90.2, 3.8)),
    ("vote", 1): (Printed(92.6, 3.6), Printed(92.1, 5.3)),
    ("vote", 2): (Printed(92.3, 3.5), Printed(93.5, 4.1)),
    ("vote", 3): (Printed(93.0, 2.2), Printed(94.0, 3.2)),
}
THETAS = (None, 0.03)

# Known to lie outside with the paper followed: these are better than printed, or may be by the folds.
BETTER = {("dna", 3, None), ("vote", 3, None)}
# Printed as 100.0 +- 0.0; 97 to 100 by the folds.
NEARLY_ALL = {("corral", 1, None), ("corral", 1, 0.03)}


@cache
def table(name: str) -> tuple[NDArray[np.int8], NDArray[np.int_]]:
    """Read a set as codes: every column is a category."""
    path = DATA / FILES[name]
    if not path.exists():
        pytest.skip(f"{path} is not there: the papers' data sets are not part of the repository")
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    assert not (frame == "").to_numpy().any()
    codes = np.column_stack([np.unique(frame[column], return_inverse=True)[1] for column in frame.columns])
    return codes[:, :-1].astype(np.int8), codes[:, -1]


@cache
def accuracy(name: str, k: int, theta: float | None) -> float:
    """Return the mean accuracy over ten folds, in percent."""
    X, y = table(name)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    model = KDB(k, theta=theta, categorical_features="all", n_threads=1)
    return float(
        np.mean([100 * model.fit(X[train], y[train]).score(X[test], y[test]) for train, test in folds.split(X, y)])
    )


def cases() -> Iterator[tuple[str, int, float | None, Printed]]:
    """Yield every number of the table."""
    for (name, k), printed in TABLE_2.items():
        for theta, own in zip(THETAS, printed, strict=True):
            yield name, k, theta, own


@pytest.mark.parametrize(("name", "k", "theta", "printed"), list(cases()))
def test_accuracies_are_those_of_the_paper(name: str, k: int, theta: float | None, printed: Printed) -> None:
    """The mean lies within the printed deviation of the printed mean; known outliers are no worse than that."""
    found = accuracy(name, k, theta)
    if (name, k, theta) in NEARLY_ALL:
        assert 97.0 <= found <= 100.0
    elif (name, k, theta) in BETTER:
        assert found >= printed.mean - printed.deviation
    else:
        assert abs(found - printed.mean) <= printed.deviation


@pytest.mark.parametrize(
    ("name", "rows", "columns", "classes"),
    [
        ("corral", 128, 6, 2),
        ("led7", 3200, 7, 10),
        ("chess", 3196, 36, 2),
        ("dna", 3186, 180, 3),
        ("vote", 435, 48, 2),
    ],
)
def test_the_sets_are_those_of_the_paper(name: str, rows: int, columns: int, classes: int) -> None:
    """Rows, attributes and classes are those of the paper's table 1."""
    X, y = table(name)
    assert X.shape == (rows, columns)
    assert len(np.unique(y)) == classes
