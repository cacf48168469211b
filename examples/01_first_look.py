"""
A first look
============

Four Bayesian classifiers beside scikit-learn's ``CategoricalNB``, on data that come with the packages: cross-validated
log-loss (how far the probabilities can be trusted), error and time; then one learnt structure, and one prediction.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any

import pandas as pd
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, cross_validate
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from savvybayes import KDB, TAN, ChowLiu, MDLPDiscretizer, NaiveBayes
from savvybayes.datasets import load_monk, load_tic_tac_toe, load_titanic, make_led7

TABLES = {
    "tic-tac-toe": load_tic_tac_toe(),
    "monks-1": load_monk(1),
    "led7": make_led7(random_state=0),
    "titanic": load_titanic(),
    "breast cancer": load_breast_cancer(return_X_y=True, as_frame=True),
}


def models(X: pd.DataFrame) -> dict[str, Any]:
    """What is compared: ours take the table as it is, ``CategoricalNB`` wants its columns coded first."""
    numbers = all(pd.api.types.is_float_dtype(kind) for kind in X.dtypes)
    coded = MDLPDiscretizer() if numbers else OrdinalEncoder()
    return {
        "CategoricalNB": make_pipeline(coded, CategoricalNB()),
        "NaiveBayes": NaiveBayes(),
        "ChowLiu": ChowLiu(),
        "TAN": TAN(),
        "KDB(2)": KDB(2),
    }


def compare() -> Iterator[dict[str, Any]]:
    """Ten-fold cross-validation of every model on every table."""
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    for table, (X, y) in TABLES.items():
        for name, model in models(X).items():
            progress(f"{table}: {name}")
            began = time.perf_counter()
            scores = cross_validate(clone(model), X, y, cv=folds, scoring=("neg_log_loss", "accuracy"))
            yield {
                "data": f"{table} ({len(X)} x {X.shape[1]})",
                "model": name,
                "log-loss": -scores["test_neg_log_loss"].mean(),
                "error": 1 - scores["test_accuracy"].mean(),
                "seconds": time.perf_counter() - began,
            }
    progress("")


def progress(what: str) -> None:
    """One line that is overwritten; only where a person looks on."""
    if sys.stdout.isatty():
        print(f"\r\033[K{what and 'ten folds of ' + what}", end="", flush=True)


def show_comparison(results: pd.DataFrame) -> None:
    """One table for each measure: data by model, the best in each row marked."""
    print("Ten-fold cross-validation; * marks the best of a row")
    for measure, digits in (("log-loss", 3), ("error", 3), ("seconds", 2)):
        print(f"\n{measure:<24}" + "".join(f"{model:>15}" for model in results["model"].unique()))
        for data, rows in results.groupby("data", sort=False):
            shown = [f"{value:.{digits}f}" for value in rows[measure]]
            cells = [value + ("*" if value == min(shown) else " ") for value in shown]
            print(f"{data!s:<24}" + "".join(f"{cell:>15}" for cell in cells))


def show_one_model() -> None:
    """One structure, and one prediction, of a board that was kept out."""
    X, y = TABLES["tic-tac-toe"]
    board, rest = X.iloc[[500]], X.drop(index=500)
    tan = TAN().fit(rest, y.drop(index=500))
    print("\nWhat TAN learnt of tic-tac-toe: which square depends on which, given who won\n")
    print(tan.structure_)
    print("\nA board it has not seen, and how sure each model is that x has three in a row\n")
    for row in ("top", "middle", "bottom"):
        print("   ", " ".join(str(board[f"{row}-{column}"].iloc[0]) for column in ("left", "middle", "right")))
    for model in (NaiveBayes(), ChowLiu(), TAN(), KDB(2), KDB(3)):
        model.fit(rest, y.drop(index=500))
        probability = model.predict_proba(board)[0, list(model.classes_).index("positive")]
        print(f"    {model!r:<14} {probability:6.1%}")
    print(f"    in truth       {y.loc[500]}")


if __name__ == "__main__":
    show_comparison(pd.DataFrame(compare()))
    show_one_model()
