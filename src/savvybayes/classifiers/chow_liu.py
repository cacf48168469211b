"""Chow-Liu trees: for each class a tree of its own."""

from __future__ import annotations

from savvybayes.classifiers.network import fit_network, in_names, scopes_of
from savvybayes.classifiers.partial import TalliedClassifier
from savvybayes.data.schema import Schema
from savvybayes.data.table import Coded
from savvybayes.model import Product
from savvybayes.structure.parents import Parents
from savvybayes.structure.tree import chow_liu


class ChowLiu(TalliedClassifier):
    """A Chow-Liu tree for each class: the tree that best describes the class's own rows.

    Chow & Liu (1968). Within each class the spanning tree of greatest mutual information joins the attributes.

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
        A tree for each class.
    model_ : Product
        The log tables.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray
        Their names, where X had names.

    Examples
    --------
    >>> from savvybayes import ChowLiu
    >>> from savvybayes.datasets import load_titanic
    >>> X, y = load_titanic()
    >>> print(ChowLiu().fit(X, y).structure_)
    class no
    class
    ├─ age
    └─ sex
    <BLANKLINE>
    class yes
    class
    ├─ age
    └─ sex
    """

    _tallies_pairs = True

    def _learn(self, table: Coded, schema: Schema) -> tuple[Parents, Product]:
        trees = chow_liu(table, self.max_cells, self._report)
        self._report("counting tables")
        scopes = [scope for label, tree in enumerate(trees) for scope in scopes_of(tree, label)]
        model = fit_network(table, schema, scopes, self.alpha, self.max_cells)
        labels = schema.classes.tolist()
        return Parents({labels[c]: in_names(tree, schema).parents for c, tree in enumerate(trees)}), model
