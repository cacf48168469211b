"""More attributes than rows: news of three topics, an attribute for each word."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from sklearn.naive_bayes import CategoricalNB

from clock import compare
from figure import Figure, LeftOut
from kept import SHARED
from models import of_codes

NEWS = SHARED / "data" / "reuters-3-train.csv.gz"
BAR = 3.0


def figures() -> Iterator[Figure | LeftOut]:
    """KDB with three parents."""
    what = "KDB(3).fit, int64"
    if not NEWS.exists():
        yield LeftOut(what, "the news are not beside this checkout (../shared/data/reuters-3-train.csv.gz)")
        return
    news = pd.read_csv(NEWS)
    X, y = news.iloc[:, :-1].to_numpy(), news.iloc[:, -1].to_numpy()
    model, peer = of_codes("KDB(3)"), CategoricalNB()
    yield compare(what, lambda: model.fit(X, y), "CategoricalNB.fit", lambda: peer.fit(X, y), BAR)
