"""The bundled data sets: sizes, rules, published files, bad arguments."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from savvybayes import datasets

PUBLISHED = Path(__file__).parents[1].parent / "shared" / "data"
LOADERS: dict[str, Callable[..., tuple[Any, Any]]] = {
    "tic-tac-toe": datasets.load_tic_tac_toe,
    "monk1-test": lambda **options: datasets.load_monk(1, **options),
    "monk2-test": lambda **options: datasets.load_monk(2, **options),
    "monk3-test": lambda **options: datasets.load_monk(3, **options),
    "corral": datasets.load_corral,
    "titanic": datasets.load_titanic,
}
MAKERS: list[Callable[..., tuple[Any, Any]]] = [datasets.make_led7, datasets.make_xor]

every_function = pytest.mark.parametrize(
    "load", [*LOADERS.values(), *MAKERS], ids=[*LOADERS, *(make.__name__ for make in MAKERS)]
)
each_maker = pytest.mark.parametrize("make", MAKERS)


def rows_of(X: Any, y: Any) -> list[tuple[str, ...]]:
    """Return the rows as text, class last: what a file of them would say."""
    return [(*map(str, row), str(label)) for row, label in zip(np.asarray(X).tolist(), y.tolist(), strict=True)]


def published_rows(name: str) -> list[tuple[str, ...]]:
    """Return the rows of a published file, without its header."""
    path = PUBLISHED / f"{name}.csv"
    if not path.exists():
        pytest.skip(f"{path} is not here to compare with")
    with path.open(newline="") as file:
        return [tuple(row) for row in csv.reader(file)][1:]


@pytest.mark.parametrize(
    ("name", "n_columns", "classes"),
    [
        ("tic-tac-toe", 9, {"positive": 626, "negative": 332}),
        ("monk1-test", 6, {0: 216, 1: 216}),
        ("monk2-test", 6, {0: 290, 1: 142}),
        ("monk3-test", 6, {0: 204, 1: 228}),
        ("corral", 6, {0: 72, 1: 56}),  # 56 = 4 * (32 - 3 * 3 * 2)
        ("titanic", 3, {"no": 1490, "yes": 711}),
    ],
)
def test_published_sizes(name: str, n_columns: int, classes: dict[Any, int]) -> None:
    """A data set has the published number of rows, of columns, and of rows of each class."""
    X, y = LOADERS[name]()
    assert X.shape == (sum(classes.values()), n_columns)
    assert Counter(y.tolist()) == classes


@pytest.mark.parametrize("name", LOADERS)
def test_published_files(name: str) -> None:
    """A data set has exactly the rows of its published file, in any order."""
    assert Counter(rows_of(*LOADERS[name]())) == Counter(published_rows(name))


@every_function
def test_frames_are_categorical(load: Callable[..., tuple[Any, Any]]) -> None:
    """Every column of a frame is categorical, so that no classifier takes its numbers for quantities."""
    X, y = load()
    assert isinstance(X, pd.DataFrame)
    assert isinstance(y, pd.Series)
    assert all(isinstance(dtype, pd.CategoricalDtype) for dtype in X.dtypes)
    assert X.index.equals(y.index)
    assert y.name not in X.columns


@every_function
def test_arrays_say_what_frames_say(load: Callable[..., tuple[Any, Any]]) -> None:
    """Arrays hold the frame's values in the frame's order, as objects where they are text and else as integers."""
    options = {"random_state": 0} if load in MAKERS else {}
    X, y = load(as_frame=False, **options)
    assert isinstance(X, np.ndarray)
    assert isinstance(y, np.ndarray)
    assert X.ndim == 2
    assert y.shape == X.shape[:1]
    assert X.dtype == (object if isinstance(X[0, 0], str) else np.int64)
    assert rows_of(X, y) == rows_of(*load(**options))


@every_function
def test_without_pandas(load: Callable[..., tuple[Any, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pandas a frame is refused with the way out, and the way out works."""
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pip install pandas.*as_frame=False"):
        load()
    X, y = load(as_frame=False)
    assert len(X) == len(y)


def test_tic_tac_toe_boards_are_ends_of_games() -> None:
    """The boards are those, of all 3^9, that fair turns can lead to and where the game has just ended."""
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]

    def wins(board: tuple[str, ...], player: str) -> bool:
        return any(all(board[square] == player for square in line) for line in lines)

    expected = set()
    for board in product("xob", repeat=9):
        lead = board.count("x") - board.count("o")
        if wins(board, "x"):
            legal = lead == 1 and not wins(board, "o")
        elif wins(board, "o"):
            legal = lead == 0
        else:
            legal = lead == 1 and "b" not in board
        if legal:
            expected.add((*board, "positive" if wins(board, "x") else "negative"))

    rows = rows_of(*datasets.load_tic_tac_toe())
    assert len(rows) == len(expected)
    assert set(rows) == expected


def test_tic_tac_toe_order() -> None:
    """Boards stand in the order of the published file."""
    assert rows_of(*datasets.load_tic_tac_toe()) == published_rows("tic-tac-toe")


@pytest.mark.parametrize(
    ("problem", "rule"),
    [
        (1, lambda a: a[0] == a[1] or a[4] == "1"),
        (2, lambda a: list(a).count("1") == 2),
        (3, lambda a: (a[4] == "3" and a[3] == "1") or (a[4] != "4" and a[1] != "3")),
    ],
)
def test_monk_rules(problem: int, rule: Callable[[tuple[str, ...]], bool]) -> None:
    """Each point of the grid occurs once, in lexicographic order, with the class of its rule."""
    grid = product("123", "123", "12", "123", "1234", "12")
    assert rows_of(*datasets.load_monk(problem)) == [(*point, str(int(rule(point)))) for point in grid]


def test_corral_rule() -> None:
    """The class follows the rule, and the correlated attribute errs in the fourth row of each point."""
    X, y = datasets.load_corral(as_frame=False)
    for number, ((a0, a1, b0, b1, _, correlated), label) in enumerate(zip(X.tolist(), y.tolist(), strict=True)):
        assert label == int((a0 and a1) or (b0 and b1))
        assert (correlated == label) == (number % 4 != 3)
    points = Counter(tuple(row[:5]) for row in X.tolist())
    assert points == dict.fromkeys(product((0, 1), repeat=5), 4)


def test_titanic_names() -> None:
    """Columns and target carry names a reader understands."""
    X, y = datasets.load_titanic()
    assert list(X.columns) == ["class", "age", "sex"]
    assert y.name == "survived"


def test_led7_without_noise() -> None:
    """Without noise each digit shows one pattern, and the ten patterns light the known numbers of segments."""
    X, y = datasets.make_led7(500, noise=0, random_state=1, as_frame=False)
    patterns = [{tuple(row) for row in X[y == digit].tolist()} for digit in range(10)]
    assert [len(shown) for shown in patterns] == [1] * 10
    assert [sum(shown.pop()) for shown in patterns] == [6, 2, 5, 5, 4, 5, 6, 3, 7, 6]


def test_led7_noise_inverts_segments() -> None:
    """Noise 1 inverts every segment, and noise 0.2 inverts about a fifth of each segment of each digit."""
    options: dict[str, Any] = {"random_state": 2, "as_frame": False}
    clean, digits = datasets.make_led7(50_000, noise=0, **options)
    inverted, _ = datasets.make_led7(50_000, noise=1, **options)
    noisy, same_digits = datasets.make_led7(50_000, noise=0.2, **options)
    assert (inverted == 1 - clean).all()
    assert (same_digits == digits).all()
    rates = np.array([(noisy != clean)[digits == digit].mean(axis=0) for digit in range(10)])
    np.testing.assert_allclose(rates, 0.2, atol=0.03)  # five standard errors: 5 * sqrt(0.2 * 0.8 / 5000)
    np.testing.assert_allclose(np.bincount(digits) / 50_000, 0.1, atol=0.01)


def test_led7_resembles_the_published_sample() -> None:
    """The published sample differs from our noiseless patterns in a tenth of each digit's segments."""
    rows = np.array(published_rows("led7"), dtype=int)
    X, y = datasets.make_led7(500, noise=0, random_state=1, as_frame=False)
    patterns = np.array([X[y == digit][0] for digit in range(10)])
    differs = rows[:, :7] != patterns[rows[:, 7]]
    assert differs.mean() == pytest.approx(0.1, abs=0.01)
    for digit in range(10):
        np.testing.assert_allclose(differs[rows[:, 7] == digit].mean(axis=0), 0.1, atol=0.08)


@pytest.mark.parametrize("n_attributes", [2, 6])
def test_xor_rule(n_attributes: int) -> None:
    """The class is x1 xor x2, and the bits are fair and independent."""
    X, y = datasets.make_xor(20_000, n_attributes=n_attributes, random_state=3, as_frame=False)
    assert X.shape == (20_000, n_attributes)
    assert y.tolist() == [int(x1 != x2) for x1, x2 in X[:, :2].tolist()]
    np.testing.assert_allclose(X.mean(axis=0), 0.5, atol=0.02)
    np.testing.assert_allclose(np.corrcoef(X.T), np.eye(n_attributes), atol=0.04)


def test_xor_stream() -> None:
    """The draw is one call for all bits, row by row: the shared sample, made so from this seed, comes out again."""
    assert rows_of(*datasets.make_xor(random_state=20041101)) == published_rows("xor")


@each_maker
def test_default_sizes(make: Callable[..., tuple[Any, Any]]) -> None:
    """The default number of rows is that of the published sample, and one row is enough."""
    assert len(make()[0]) == {"make_led7": 3200, "make_xor": 2000}[make.__name__]
    assert len(make(1)[0]) == 1


@each_maker
def test_same_seed_same_data(make: Callable[..., tuple[Any, Any]]) -> None:
    """The same seed gives the same rows, whether integer or generator; another seed gives others."""
    rows = rows_of(*make(100, random_state=4))
    assert rows_of(*make(100, random_state=4)) == rows
    assert rows_of(*make(100, random_state=np.random.default_rng(4))) == rows
    assert rows_of(*make(100, random_state=5)) != rows


@pytest.mark.parametrize("problem", [0, 4, "1"])
def test_unknown_monk_problem(problem: Any) -> None:
    """A monk's problem that does not exist is refused."""
    with pytest.raises(ValueError, match=r"problem is .*; the monk's problems are 1, 2 and 3"):
        datasets.load_monk(problem)


@pytest.mark.parametrize("noise", [-0.1, 1.1, float("nan")])
def test_noise_is_a_probability(noise: float) -> None:
    """A noise that is no probability is refused."""
    with pytest.raises(ValueError, match=r"noise is .*; a probability from 0 to 1"):
        datasets.make_led7(noise=noise)


@each_maker
@pytest.mark.parametrize("n_rows", [0, -1])
def test_rows_are_needed(make: Callable[..., tuple[Any, Any]], n_rows: int) -> None:
    """A sample without rows is refused."""
    with pytest.raises(ValueError, match=rf"n_rows is {n_rows}; at least 1"):
        make(n_rows)


def test_xor_needs_two_attributes() -> None:
    """An exclusive or of fewer than two attributes is refused."""
    with pytest.raises(ValueError, match=r"n_attributes is 1; at least 2"):
        datasets.make_xor(n_attributes=1)
