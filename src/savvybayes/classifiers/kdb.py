"""k-dependence Bayesian classifiers."""

from __future__ import annotations

from savvybayes.classifiers.base import BayesClassifier
from savvybayes.classifiers.network import fit_network, in_names, scopes_of
from savvybayes.data.learn import CategoricalFeatures, Discretizer
from savvybayes.data.schema import Schema
from savvybayes.data.table import Coded
from savvybayes.model import Product
from savvybayes.parameters import is_real, is_whole
from savvybayes.structure.dependence import kdb
from savvybayes.structure.parents import Parents


class KDB(BayesClassifier):
    """A k-dependence Bayesian classifier: each attribute depends on the class and on at most k other attributes.

    Sahami (1996). Attributes are placed by falling information about the class; each takes as parents the k placed ones
    that tell most about it, given the class.

    Parameters
    ----------
    k : int, default=2
        The most parents of an attribute, the class not counted.
    theta : float, default=None
        Where given, only parents with more mutual information than this (in nats; the paper's value is 0.03) are taken.
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
        The parents of each attribute, attributes in the order in which they were placed.
    model_ : Product
        The log tables.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray
        Their names, where X had names.

    Examples
    --------
    >>> from savvybayes import KDB
    >>> from savvybayes.datasets import load_titanic
    >>> X, y = load_titanic()
    >>> print(KDB(2).fit(X, y).structure_)
    sex
    class <- sex
    age   <- class, sex
    """

    def __init__(
        self,
        k: int = 2,
        *,
        theta: float | None = None,
        alpha: float = 1.0,
        categorical_features: CategoricalFeatures = "from_dtype",
        discretizer: Discretizer = "mdlp",
        max_cells: int = 2**24,
        n_threads: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            alpha=alpha,
            categorical_features=categorical_features,
            discretizer=discretizer,
            max_cells=max_cells,
            n_threads=n_threads,
            verbose=verbose,
        )
        self.k = k
        self.theta = theta

    def _learn(self, table: Coded, schema: Schema) -> tuple[Parents, Product]:
        parents, order = kdb(table, self.k, self.theta, self.max_cells, self._report)
        self._report("counting tables")
        model = fit_network(table, schema, scopes_of(parents), self.alpha, self.max_cells)
        return in_names(parents, schema, order), model

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not is_whole(self.k) or self.k < 0:
            raise ValueError(f"k={self.k!r}: give a whole number of at least 0")
        if self.theta is not None and not is_real(self.theta):
            raise ValueError(f"theta={self.theta!r}: give a finite number, or None for no threshold")
