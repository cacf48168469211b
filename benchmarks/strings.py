"""A data frame of strings, beside the pipeline that others need for one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

import tables
from clock import compare
from figure import Figure
from models import THREADS
from savvybayes import TAN

BAR = 0.2


def figures() -> Iterator[Figure]:
    """Both ways in which pandas holds strings."""
    table = tables.table("a")
    words = np.array(["alpha", "beta", "gamma", "delta"], dtype=object)
    cells = pd.DataFrame(words[table.X]).add_prefix("column ")
    y = words[table.y]
    for dtype in ("str", "object"):
        frame = cells.astype(dtype)
        yield compare(
            f"TAN.fit, {dtype}",
            partial(TAN(n_threads=THREADS).fit, frame, y),
            "OrdinalEncoder + CategoricalNB, fit",
            partial(make_pipeline(OrdinalEncoder(), CategoricalNB()).fit, frame, y),
            BAR,
        )
