"""What all classifiers share. A subclass owes `_learn`: from a table to a structure and a model."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from savvybayes.data.inputs import all_or_nothing, read_columns, training_source
from savvybayes.data.learn import (
    CategoricalFeatures,
    Discretizer,
    check_discretizer,
    learn_schema,
    warn_of_light_weights,
)
from savvybayes.data.schema import Schema
from savvybayes.data.source import RawBlock, Source
from savvybayes.data.table import Coded, Table
from savvybayes.model import Product
from savvybayes.parameters import is_real, is_whole
from savvybayes.structure.parents import Parents
from savvybayes.threads import check_n_threads, threads

# With four times as many entries, those for unknown values, a cell's index still fits into 32 bits.
MOST_CELLS = 2**30 - 1

# Less would vanish beside the counts, more would overflow where it is added for each value.
LEAST_ALPHA = 1e-300
MOST_ALPHA = 1e300


class BayesClassifier(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """A classifier whose scores are sums of table look-ups."""

    schema_: Schema
    model_: Product
    structure_: Parents
    classes_: NDArray[Any]
    n_features_in_: int

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        categorical_features: CategoricalFeatures = "from_dtype",
        discretizer: Discretizer = "mdlp",
        max_cells: int = 2**24,
        n_threads: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.alpha = alpha
        self.categorical_features = categorical_features
        self.discretizer = discretizer
        self.max_cells = max_cells
        self.n_threads = n_threads
        self.verbose = verbose

    @abstractmethod
    def _learn(self, table: Coded, schema: Schema) -> tuple[Parents, Product]:
        """Learn structure and parameters; the table's attributes are the schema's kept columns."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the classifier.

        Parameters
        ----------
        X : data frame, array or Source
            The attributes: any data frame that narwhals reads (pandas, polars, pyarrow), or an array. A Source brings
            its own target and weights.
        y : array-like of shape (n_samples,)
            The classes.
        sample_weight : array-like of shape (n_samples,), default=None
            A row of weight w counts as w rows.

        Returns
        -------
        self
        """
        with all_or_nothing(self):
            self._check_parameters()
            source = self._source(X, y, sample_weight)
            with threads(self.n_threads):
                self._report("looking at the columns")
                schema, findings = learn_schema(source, self.categorical_features, self.discretizer)
                self._check_classes(schema.classes)
                warn_of_light_weights(findings)
                self._learn_and_keep(Table(source, schema), schema)
            self.__dict__.pop("_tally", None)
        return self

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """The logarithms of the classes' probabilities, columns in the order of `classes_`."""
        check_is_fitted(self, "model_")
        columns = read_columns(self, X, reset=False)
        raw = RawBlock(0, tuple(column.data for column in columns), None, None)
        for attribute, column in zip(self.schema_.attributes, columns, strict=True):
            if attribute.size > 1:  # others tell nothing, whatever they hold
                attribute.check_kind(column.data, column.kind)
                attribute.warn_of_lookalikes(column.data, column.kind)
        with threads(self.n_threads):
            return self.model_.log_proba(self.schema_.block(raw, self.schema_.kept))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The classes' probabilities, columns in the order of `classes_`."""
        log_proba = self.predict_log_proba(X)
        return np.exp(log_proba, out=log_proba)

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row."""
        best = self.predict_log_proba(X).argmax(axis=1)
        classes: NDArray[Any] = self.classes_[best]
        return classes

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _source(self, X: Any, y: Any, sample_weight: Any) -> Source:
        if not isinstance(X, Source):
            source = training_source(self, X, y, sample_weight)
            self._check_classes(_classes_of(source.block))
            return source
        if y is not None or sample_weight is not None:
            raise ValueError("a Source brings its own target and weights: give neither y nor sample_weight")
        self.n_features_in_ = len(X.columns)
        self.__dict__.pop("feature_names_in_", None)
        names = [column.name for column in X.columns]
        if all(isinstance(name, str) for name in names):
            self.feature_names_in_ = np.array(names, dtype=object)
        return X

    def _learn_and_keep(self, table: Coded, schema: Schema) -> None:
        self.structure_, self.model_ = self._learn(table, schema)
        self.schema_ = schema
        self.classes_ = schema.classes
        self._report("done")

    def _check_parameters(self) -> None:
        """Raise where a constructor parameter is out of range; subclasses with more parameters check those, too."""
        if not is_real(self.alpha) or not (self.alpha == 0 or LEAST_ALPHA <= self.alpha <= MOST_ALPHA):
            raise ValueError(
                f"alpha={self.alpha!r}: give a finite number of at least 0 (0, or {LEAST_ALPHA:g} to {MOST_ALPHA:g})"
            )
        if not is_whole(self.max_cells) or not 1 <= self.max_cells <= MOST_CELLS:
            raise ValueError(f"max_cells={self.max_cells!r}: give a whole number of at least 1 (and below 2**30)")
        if not (is_whole(self.verbose) or isinstance(self.verbose, bool)) or self.verbose < 0:
            raise ValueError(f"verbose={self.verbose!r}: give 0 for silence or 1 for a line per step")
        check_n_threads(self.n_threads)
        check_discretizer(self.discretizer)

    @staticmethod
    def _check_classes(classes: NDArray[Any]) -> None:
        if len(classes) < 2:
            held = f"one class, {classes.tolist()[0]!r}" if len(classes) else "no class"
            raise ValueError(f"y has {held}: a classifier needs rows of at least two classes (with weights above 0)")

    def _report(self, what: str) -> None:
        """Tell a user who wants to know what is being done."""
        if self.verbose:
            print(f"[{type(self).__name__}] {time.strftime('%H:%M:%S')} {what}", flush=True)


def _classes_of(block: RawBlock) -> NDArray[Any]:
    """The classes that rows of positive weight have."""
    if block.target is None:
        return np.empty(0)
    positions, _ = block.target.seen(block.weights)
    return np.asarray(block.target.values)[positions]
