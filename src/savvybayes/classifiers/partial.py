"""Learning in portions, for the classifiers whose models are made of counts of attributes and pairs."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import MethodType
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from savvybayes.classifiers.base import BayesClassifier
from savvybayes.counts import Tally, TallyAll
from savvybayes.data.inputs import MOST_WEIGHT, all_or_nothing, read_target, training_source
from savvybayes.data.learn import learn_schema, warn_of_light_weights
from savvybayes.data.schema import Schema
from savvybayes.data.source import MemorySource, Request
from savvybayes.data.survey import Survey
from savvybayes.data.table import Countable, Table
from savvybayes.threads import threads

Summary = TypeVar("Summary")


class _WhileCountsAreKept:
    """A method that is not there once `fit` was called, as scikit-learn's `available_if`, but says why in one line."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method

    def __get__(self, classifier: TalliedClassifier | None, owner: type) -> Callable[..., Any]:
        if classifier is None:
            return self.method
        if hasattr(classifier, "model_") and not hasattr(classifier, "_tally"):
            raise AttributeError(
                f"this {owner.__name__} was fitted by fit, which keeps no counts, so that partial_fit cannot go on: "
                "use partial_fit from the first portion on, or call fit with all rows"
            )
        return MethodType(self.method, classifier)


class TalliedClassifier(BayesClassifier):
    """A classifier that keeps counts when it is fed in portions, and learns its model from them anew."""

    # Whether the structure needs the counts of all pairs of attributes.
    _tallies_pairs: ClassVar[bool]
    _tally: Tally

    @_WhileCountsAreKept
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from one more portion of rows.

        The first portion settles which columns are ordered, and their cut points, so that it should not be small (a
        warning names the columns it cannot cut); later ones may bring new categories.
        With categories alone the result is that of one `fit` on all rows. After `fit`, which keeps no counts, there
        is no `partial_fit`.

        Parameters
        ----------
        X : data frame or array
            The attributes.
        y : array-like of shape (n_samples,)
            The classes.
        classes : array-like, default=None
            All classes that will ever come; needed in the first call.
        sample_weight : array-like of shape (n_samples,), default=None
            A row of weight w counts as w rows.

        Returns
        -------
        self
        """
        with all_or_nothing(self):
            self._check_parameters()
            first = not hasattr(self, "_tally")
            known = self._known_classes(classes, first)
            source = training_source(self, X, y, sample_weight, reset=first)
            with threads(self.n_threads):
                if first:
                    schema, findings = learn_schema(source, self.categorical_features, self.discretizer)
                    schema = Schema(schema.attributes, known)
                    _warn_of_uncut_columns(schema)
                else:
                    known_schema = self.schema_.checked(source.columns, source.block.columns)
                    findings = source.fold(Survey(tuple(a.question for a in known_schema.attributes)))
                    schema = known_schema.extended(findings)
                warn_of_light_weights(findings)
                tally = self._tally_of(source, schema)
                self._tally = tally if first else self._earlier(schema).added_to(tally)
                if not self._tally.classes.sum() < MOST_WEIGHT:
                    raise ValueError("sample_weight: the weights of all portions have an infinite sum; scale them down")
                self._learn_and_keep(_TalliedTable(schema, self._tally), schema)
        return self

    def _known_classes(self, classes: Any, first: bool) -> NDArray[Any]:
        if first:
            if classes is None:
                raise ValueError("classes must be passed on the first call to partial_fit.")
            known = _classes_in(classes)
            self._check_classes(known)
            return known
        if classes is not None and not np.array_equal(_classes_in(classes), self.classes_):
            raise ValueError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {self.classes_!r}"
            )
        return self.classes_

    def _tally_of(self, source: MemorySource, schema: Schema) -> Tally:
        table = Table(source, schema, range(len(schema.attributes)))
        entries = Tally.entries(table.sizes, table.n_classes, self._tallies_pairs)
        if entries > 16 * self.max_cells:
            raise ValueError(
                f"partial_fit would keep {entries} counts ({entries * 8 / 1e9:.1f} GB), and 16 * max_cells are "
                "allowed: group values, drop columns of many values, raise max_cells, or use fit"
            )
        self._report(f"counting {entries} entries")
        return table.fold(TallyAll(self._tallies_pairs))

    def _earlier(self, schema: Schema) -> Tally:
        """The kept counts, by the codes of a schema that may have more values."""
        pairs = list(zip(self.schema_.attributes, schema.attributes, strict=True))
        if all(old.size == new.size for old, new in pairs):  # then no value is new
            return self._tally
        return self._tally.recoded([new.size for _, new in pairs], [old.codes_in(new) for old, new in pairs])


def _warn_of_uncut_columns(schema: Schema) -> None:
    """Warn of ordered columns that the first portion could not cut: later portions cannot, either."""
    uncut = [attribute.name for attribute in schema.attributes if attribute.cuts == () and attribute.values]
    if uncut:
        warnings.warn(
            f"the first portion gives no cut points for the columns {', '.join(map(repr, uncut))}, and later portions "
            "will not change that: they tell nothing from now on. Begin with a larger portion, or give `discretizer` a "
            "number of bins or cut points",
            UserWarning,
            stacklevel=3,
        )


def _classes_in(classes: Any) -> NDArray[Any]:
    listed = list(classes) if isinstance(classes, set | frozenset) else classes
    return np.asarray(read_target(listed, "classes").values)


class _TalliedTable:
    """Kept counts in place of rows: what a learner asks of them it could ask of a block."""

    def __init__(self, schema: Schema, tally: Tally) -> None:
        self.sizes = schema.sizes
        self.n_classes = len(schema.classes)
        self._block = tally.of(schema.kept)

    def fold(self, request: Request[Countable, Summary]) -> Summary:
        """Answer from the counts."""
        return request(self._block)
