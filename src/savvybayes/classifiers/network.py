"""From parents to a model: the product ``P(y) prod_i P(x_i | parents_i, y)``, its tables counted and smoothed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from savvybayes.counts import EVERY_CLASS, Scope, count_classes, count_in_portions
from savvybayes.data.display import name_label
from savvybayes.data.schema import Schema
from savvybayes.data.table import Coded
from savvybayes.model import Factor, Product
from savvybayes.smoothing import laplace, log_prior
from savvybayes.structure.parents import Parents, ParentSets


def fit_network(table: Coded, schema: Schema, scopes: Sequence[Scope], alpha: float, max_cells: int) -> Product:
    """A factor for each scope: its first attribute given the others and the class (the one class of its label)."""
    for scope in scopes:
        _check_fits(scope, table, schema, max_cells)
    factors = []
    for counts in count_in_portions(table, scopes):
        portion = list(counts)
        for (scope, _), entries in zip(portion, laplace([own for _, own in portion], alpha), strict=True):
            if alpha == 0:
                _check_no_zero(scope, entries, schema)
            factors.append(Factor(scope, entries[..., 0] if scope.label != EVERY_CLASS else entries))
    return Product(log_prior(count_classes(table)), tuple(factors))


def scopes_of(parents: ParentSets, label: int = EVERY_CLASS) -> list[Scope]:
    """The scope of each attribute with its parents."""
    return [Scope((child, *own), label) for child, own in enumerate(parents)]


def in_names(parents: ParentSets, schema: Schema, order: Sequence[int] | None = None) -> Parents:
    """The parents by the user's own names; `order` is that in which the attributes are shown."""
    names = schema.names
    shown = range(len(parents)) if order is None else order
    return Parents({names[child]: tuple(names[i] for i in parents[child]) for child in shown})


def _check_fits(scope: Scope, table: Coded, schema: Schema, max_cells: int) -> None:
    if not scope.fits(table.sizes, table.n_classes, max_cells):
        names = ", ".join(name_label(schema.names[i]) for i in scope.attributes)
        cells = scope.cells(table.sizes, table.n_classes)
        columns = f"{table.n_classes} classes" if scope.label == EVERY_CLASS else "one class"
        raise ValueError(
            f"the table of {names} with {columns} would have {cells} cells, and max_cells is "
            f"{max_cells}: group values, drop the column, or raise max_cells"
        )


def _check_no_zero(scope: Scope, entries: NDArray[np.float64], schema: Schema) -> None:
    """Without smoothing a count of zero has no logarithm."""
    zeros = np.argwhere(~np.isfinite(entries))
    if len(zeros) == 0:
        return
    *codes, label = zeros[0].tolist()
    attributes = [schema.attributes[schema.kept[i]] for i in scope.attributes]
    cell = ", ".join(
        attribute.described(code) for attribute, code in zip(attributes, codes, strict=True) if code < attribute.size
    )
    class_ = schema.classes.tolist()[label if scope.label == EVERY_CLASS else scope.label]
    raise ValueError(f"alpha=0, and no row of class {class_!r} has {cell}: give an alpha above 0, such as 1")
