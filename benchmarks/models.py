"""Our classifiers as they are measured: codes for categories, and two threads."""

from __future__ import annotations

import os

from savvybayes import KDB, TAN, ChowLiu, NaiveBayes
from savvybayes.classifiers.base import BayesClassifier

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
THREADS = min(2, CORES)


def of_codes(name: str) -> BayesClassifier:
    """A classifier for tables of codes, by the name it is shown under."""
    kinds: dict[str, BayesClassifier] = {
        "NaiveBayes": NaiveBayes(),
        "ChowLiu": ChowLiu(),
        "TAN": TAN(),
        "KDB(2)": KDB(2),
        "KDB(3)": KDB(3),
    }
    model: BayesClassifier = kinds[name].set_params(categorical_features="all", n_threads=THREADS)
    return model
