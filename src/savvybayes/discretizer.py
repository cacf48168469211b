"""The discretiser of the classifiers as a scikit-learn transformer of its own: Fayyad & Irani (1993)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from savvybayes import _kernel
from savvybayes.data.columns import Column, Data, Labels
from savvybayes.data.inputs import all_or_nothing, read_columns, training_source
from savvybayes.data.learn import ask, warn_of_light_weights
from savvybayes.data.source import ColumnType
from savvybayes.data.survey import AskMap, numbers_of
from savvybayes.threads import threads


class MDLPDiscretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Cut numbers into bins that tell most about the class, as few as the description length allows.

    Fayyad & Irani (1993): each column is cut in two where the class entropy is least, and so on in both parts, while
    the information gained pays for describing the cut. A value equal to a cut point goes left. A column that tells
    nothing about the class stays one bin.

    Parameters
    ----------
    encode : {"ordinal", "onehot"}, default="ordinal"
        "ordinal" gives each column as the numbers of its bins, from 0; a missing value stays NaN. "onehot" gives a
        sparse matrix with a column of zeros and ones for each bin, and one for missing values where training saw any.

    Attributes
    ----------
    cut_points_ : list of ndarray
        The cut points of each column, rising; of dates and durations in microseconds.
    n_bins_ : ndarray of shape (n_features_in_,)
        The number of bins of each column.
    missing_ : ndarray of shape (n_features_in_,)
        Whether training saw missing values in the column.
    schema_ : Schema
        The same, as the classifiers have it. Prints as a table.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray
        Their names, where X had names.

    Examples
    --------
    >>> from savvybayes import MDLPDiscretizer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> discretizer = MDLPDiscretizer().fit(X, y)
    >>> discretizer.cut_points_[2]
    array([2.45, 4.75])
    >>> discretizer.transform(X)[[0, 60, 120]]
    array([[0., 2., 0., 0.],
           [0., 0., 1., 1.],
           [2., 1., 2., 2.]])
    """

    def __init__(self, *, encode: str = "ordinal") -> None:
        self.encode = encode

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the cut points.

        Parameters
        ----------
        X : data frame or array
            Columns of numbers, dates or durations.
        y : array-like of shape (n_samples,)
            The classes.
        sample_weight : array-like of shape (n_samples,), default=None
            A row of weight w counts as w rows.

        Returns
        -------
        self
        """
        if not isinstance(self.encode, str) or self.encode not in ("ordinal", "onehot"):
            raise ValueError(f"encode={self.encode!r}: give 'ordinal' or 'onehot'")
        with all_or_nothing(self):
            source = training_source(self, X, y, sample_weight)
            source.columns = tuple(map(_as_ordered, source.columns, source.block.columns))
            with threads(None):
                self.schema_, findings = ask(source, (AskMap(),) * len(source.columns), "mdlp")
            warn_of_light_weights(findings)
            self.cut_points_ = [np.array(attribute.cuts) for attribute in self.schema_.attributes]
            self.n_bins_ = np.array([len(cuts) + 1 for cuts in self.cut_points_])
            self.missing_ = np.array([attribute.missing for attribute in self.schema_.attributes])
        return self

    def transform(self, X: Any) -> Any:
        """Replace numbers by bins.

        Parameters
        ----------
        X : data frame or array
            The columns that `fit` saw.

        Returns
        -------
        ndarray or sparse matrix
            As `encode` says.
        """
        check_is_fitted(self)
        bins = self._bins(read_columns(self, X, reset=False))
        if self.encode == "ordinal":
            ordinal = np.stack(bins, axis=1).astype(np.float64)
            ordinal[ordinal == self.n_bins_] = np.nan
            return ordinal
        widths = self.n_bins_ + self.missing_
        begins = np.concatenate([[0], np.cumsum(widths)])
        kept = [column < width for column, width in zip(bins, widths, strict=True)]
        rows = np.concatenate([np.flatnonzero(k) for k in kept])
        places = np.concatenate(
            [column[k].astype(np.int64) + begin for column, k, begin in zip(bins, kept, begins, strict=False)]
        )
        return sparse.csr_matrix((np.ones(len(rows)), (rows, places)), shape=(len(bins[0]), int(begins[-1])))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The names of the columns that `transform` gives: with "onehot" the column's and its bin's."""
        names: NDArray[Any] = super().get_feature_names_out(input_features)
        if self.encode == "ordinal":
            return names
        suffixes = [
            [*map(str, range(n_bins)), *(["missing"] if missing else [])]
            for n_bins, missing in zip(self.n_bins_, self.missing_, strict=True)
        ]
        return np.array([f"{name}_{s}" for name, own in zip(names, suffixes, strict=True) for s in own], dtype=object)

    def _bins(self, columns: Sequence[Column]) -> list[NDArray[np.uint16]]:
        """The bin of each value; for a missing one the number of bins."""
        for attribute, column in zip(self.schema_.attributes, columns, strict=True):
            attribute.check_kind(column.data, column.kind)
        coders = [_kernel.Coder(True, cuts, np.arange(len(cuts) + 2, dtype=np.uint16)) for cuts in self.cut_points_]
        with threads(None):
            return _kernel.code_columns([numbers_of(column.data) for column in columns], coders)

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _as_ordered(type_: ColumnType, column: Data) -> ColumnType:
    """Numbers, dates or durations; a column that is missing all over is of numbers. Raise for one of labels."""
    if type_.kind != "label":
        return type_
    if isinstance(column, Labels) and len(column.values) > 0:
        raise ValueError(
            f"column {type_.name!r} holds text or other labels, which cannot be cut into bins: give the columns of "
            "numbers alone, for example through a ColumnTransformer"
        )
    return type_._replace(kind="number")
