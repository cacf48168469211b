"""Rows of codes for tests of what lies below the estimators, and rows of raw values for tests of these; both drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

import oracles
from savvybayes._kernel import Block
from savvybayes.data.source import Request

Summary = TypeVar("Summary")
Weighting = Literal["none", "whole", "fractional"]

# One byte codes up to 255 values.
NARROW = 255

# Each element of an array is drawn: otherwise most would be the same.
EACH: st.SearchStrategy[Any] = st.nothing()


@dataclass(frozen=True)
class CodedRows:
    """A coded table: what a learner sees as one block, a kernel as a `Block`, and an oracle as its `Data`."""

    codes: NDArray[np.int64]
    classes: NDArray[np.int32]
    sizes: tuple[int, ...]
    n_classes: int
    weights: NDArray[np.float64] | None = None

    def fold(self, request: Request[Block, Summary]) -> Summary:
        """Answer from one block."""
        return request(self.block())

    def block(self) -> Block:
        """The rows as a block."""
        return Block(len(self.codes), self.sizes, self.columns(), self.classes, self.n_classes, self.weights)

    def columns(self) -> list[NDArray[Any]]:
        """The codes of each attribute, in the type that its size asks for."""
        return [code_array(self.codes[:, i], size) for i, size in enumerate(self.sizes)]

    def take(self, rows: Any) -> CodedRows:
        """Some of the rows."""
        weights = None if self.weights is None else np.ascontiguousarray(self.weights[rows])
        return replace(self, codes=self.codes[rows], classes=np.ascontiguousarray(self.classes[rows]), weights=weights)

    def data(self) -> oracles.Data:
        """The rows as the oracles take them."""
        return oracles.data(
            self.codes.tolist(),
            self.classes.tolist(),
            None if self.weights is None else self.weights.tolist(),
            sizes=self.sizes,
            labels=range(self.n_classes),
        )

    @property
    def is_exact(self) -> bool:
        """Whether sums of its weights are sums of whole numbers."""
        return self.weights is None or bool((self.weights == np.round(self.weights)).all())


@dataclass(frozen=True)
class InBlocks:
    """The same table with its rows cut into consecutive blocks."""

    table: CodedRows
    cuts: Sequence[int]

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of values of each attribute."""
        return self.table.sizes

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return self.table.n_classes

    def fold(self, request: Request[Block, Summary]) -> Summary:
        """Add the answers of the blocks."""
        ends = sorted({*self.cuts, len(self.table.codes)})
        answers: list[Any] = [
            request(self.table.take(slice(begin, end)).block()) for begin, end in zip([0, *ends], ends, strict=False)
        ]
        total = answers[0]
        for answer in answers[1:]:
            total = total + answer
        result: Summary = total
        return result


def code_array(codes: Any, size: int) -> NDArray[Any]:
    """Codes of an attribute of `size` values, in the one type that a block takes for it."""
    return np.asarray(codes).astype(np.uint8 if size <= NARROW else np.uint16)


def unaligned(array: NDArray[Any]) -> NDArray[Any]:
    """The same values from an odd address on, as in a file that is mapped into memory."""
    return np.frombuffer(b"\0" + array.tobytes(), dtype=array.dtype, offset=1).reshape(array.shape)


@st.composite
def coded_rows(
    draw: st.DrawFn,
    *,
    min_rows: int = 0,
    max_rows: int = 30,
    attributes: tuple[int, int] = (1, 5),
    sizes: Sequence[int] = (1, 2, 3, 4),
    max_classes: int = 3,
    weightings: Sequence[Weighting] = ("none", "whole", "fractional"),
) -> CodedRows:
    """Draw a table of codes; classes and values need not occur."""
    n_rows = draw(st.integers(min_rows, max_rows))
    own = tuple(draw(st.lists(st.sampled_from(sizes), min_size=attributes[0], max_size=attributes[1])))
    n_classes = draw(st.integers(1, max_classes))
    # Small whole numbers, and now and then a great one, so that attributes of many values use all of them.
    element = st.one_of(st.integers(0, 3), st.integers(0, 2**16))
    drawn = draw(hnp.arrays(np.int64, (n_rows, len(own)), elements=element, fill=EACH))
    codes = drawn % np.array(own, dtype=np.int64)
    classes = draw(hnp.arrays(np.int32, n_rows, elements=st.integers(0, n_classes - 1), fill=EACH))
    weights = draw_weights(draw, n_rows, draw(st.sampled_from(weightings)))
    return CodedRows(codes, classes, own, n_classes, weights)


def draw_weights(draw: st.DrawFn, n_rows: int, weighting: Weighting) -> NDArray[np.float64] | None:
    """Draw positive weights."""
    if weighting == "none":
        return None
    whole: st.SearchStrategy[float] = st.integers(1, 5).map(float)
    fractional = st.floats(0.01, 10.0)
    return draw(hnp.arrays(np.float64, n_rows, elements=whole if weighting == "whole" else fractional, fill=EACH))


def random_rows(
    rows: int, sizes: Sequence[int], n_classes: int, seed: int = 0, weighting: Weighting = "none"
) -> CodedRows:
    """Make a table in which neighbouring attributes depend on each other and on the class."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(n_classes, size=rows, dtype=np.int32)
    codes = np.empty((rows, len(sizes)), dtype=np.int64)
    last = classes.astype(np.int64)
    for i, size in enumerate(sizes):
        last = np.where(rng.random(rows) < 0.5, last + rng.integers(2, size=rows), rng.integers(size, size=rows)) % size
        codes[:, i] = last
    weights = {
        "none": None,
        "whole": rng.integers(1, 6, size=rows).astype(np.float64),
        "fractional": rng.uniform(0.1, 3.0, size=rows),
    }
    return CodedRows(codes, classes, tuple(sizes), n_classes, weights[weighting])
