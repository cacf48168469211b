"""Thousands of attributes, and classes as many as rows: memory is what attributes squared need, or is refused."""

from __future__ import annotations

import numpy as np
import pytest

import children
from savvybayes import NaiveBayes

WIDE = """
    import resource
    import numpy as np
    from savvybayes import TAN

    rng = np.random.default_rng(0)
    X = (rng.random((300, 3440)) < 0.2).astype(np.uint8)
    y = rng.integers(0, 3, 300)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    model = TAN(categorical_features="all").fit(X, y)
    assert len(model.structure_.parents) == 3440
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""


def test_a_tree_of_3440_attributes() -> None:
    """The information of all pairs is a few matrices of attributes by attributes, not all pair tables (1.7 GB here)."""
    # 3440 ** 2 * 8 bytes = 95 MB a matrix; a handful of them stand beside each other at the peak.
    assert int(children.run(WIDE)) < 8 * 95e6


MANY_VALUES = """
    import resource
    import numpy as np
    from savvybayes import _kernel

    column = np.random.default_rng(0).integers(0, 60, 34_000, dtype=np.uint8)
    block = _kernel.Block(34_000, [60] * 2000, [column] * 2000, np.zeros(34_000, np.int32), 1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    block.count_scopes([((i,), -1) for i in range(2000)])
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""


def test_counts_of_2000_attributes_of_60_values() -> None:
    """Their bit-planes would take 480 MB if all were made at once."""
    assert int(children.run(MANY_VALUES)) < 50e6


def test_classes_as_many_as_rows() -> None:
    """A target that is an identifier is refused before its value maps are made, in words that say it is the target."""
    rows = 20_000
    X = np.random.default_rng(0).normal(size=(rows, 2))
    with pytest.raises(ValueError, match=f"y has {rows} classes in {rows} rows.* looks like an identifier"):
        NaiveBayes().fit(X, np.arange(rows))
