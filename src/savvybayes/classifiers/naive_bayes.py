"""Naive Bayes: attributes that are independent given the class."""

from __future__ import annotations

from savvybayes.classifiers.network import fit_network, in_names, scopes_of
from savvybayes.classifiers.partial import TalliedClassifier
from savvybayes.data.schema import Schema
from savvybayes.data.table import Coded
from savvybayes.model import Product
from savvybayes.structure.parents import Parents, ParentSets


class NaiveBayes(TalliedClassifier):
    """Naive Bayes over categories, discretised numbers, and missing values.

    The attributes are taken as independent of each other given the class.

    Parameters
    ----------
    alpha : float, default=1.0
        What is added to each count.
    categorical_features : {"from_dtype", "all"} or list of names or positions, default="from_dtype"
        Which columns are categories. By their type: strings, categories and truth values are; numbers, dates and
        durations are ordered, and are cut into bins. Columns of a list are categories in addition to those.
    discretizer : "mdlp", int or mapping, default="mdlp"
        How ordered columns are cut: by the method of Fayyad and Irani, into so many quantile bins, or at given cut
        points by column (other columns by "mdlp").
    max_cells : int, default=2**24
        The most entries a table of counts may have; with those for unknown values it may have four times as many. A
        learner leaves out what would need more; what it cannot leave out is an error, before memory is taken.
        `partial_fit` keeps at most 16 times as many counts.
    n_threads : int, default=None
        How many threads to use; None is one for each core.
    verbose : int, default=0
        1 prints a line for each step.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    schema_ : Schema
        What was learnt of the columns: kinds, categories, cut points. Prints as a table.
    structure_ : Parents
        No attribute has a parent but the class.
    model_ : Product
        The log tables.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray
        Their names, where X had names.

    Examples
    --------
    >>> from savvybayes import NaiveBayes
    >>> from savvybayes.datasets import load_titanic
    >>> X, y = load_titanic()
    >>> round(NaiveBayes().fit(X, y).score(X, y), 3)
    0.778
    """

    _tallies_pairs = False

    def _learn(self, table: Coded, schema: Schema) -> tuple[Parents, Product]:
        parents: ParentSets = ((),) * len(table.sizes)
        self._report("counting tables")
        model = fit_network(table, schema, scopes_of(parents), self.alpha, self.max_cells)
        return in_names(parents, schema), model
