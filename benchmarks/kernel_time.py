"""The seconds that calls spend in the compiled core, and nowhere else."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from savvybayes import _kernel

Call = Callable[..., Any]


@dataclass
class Spent:
    """Seconds in the core so far; a call within a call is counted once."""

    seconds: float = 0.0
    depth: int = 0

    def timed(self, call: Call) -> Call:
        """The same call, its time added."""

        def timed_call(*args: Any, **kwargs: Any) -> Any:
            self.depth += 1
            began = time.perf_counter()
            try:
                return call(*args, **kwargs)
            finally:
                self.depth -= 1
                if self.depth == 0:
                    self.seconds += time.perf_counter() - began

        return timed_call


@contextmanager
def kernel_time() -> Iterator[Spent]:
    """Time whatever functions, constructors and methods the core offers."""
    spent = Spent()
    with ExitStack() as patches:
        for name, offered in _of_the_core(vars(_kernel)).items():
            if isinstance(offered, type):
                for method, call in _of_the_core(vars(offered)).items():
                    patches.enter_context(patch.object(offered, method, _method(spent, call)))
                patches.enter_context(patch.object(_kernel, name, _constructor(spent, offered)))
            else:
                patches.enter_context(patch.object(_kernel, name, spent.timed(offered)))
        yield spent


def _of_the_core(names: Any) -> dict[str, Any]:
    """What nanobind made: its functions, methods and classes have types of its own."""
    made = {name: thing for name, thing in names.items() if type(thing).__module__ == "nanobind"}
    return {name: thing for name, thing in made.items() if not name.startswith("__")}


def _method(spent: Spent, call: Any) -> Any:
    timed = spent.timed(call)
    return timed if type(call).__name__ == "nb_method" else staticmethod(timed)


def _constructor(spent: Spent, offered: type) -> type:
    """A subclass, since the making of a compiled object does not look at what its class was given later."""
    return type(offered.__name__, (offered,), {"__init__": spent.timed(offered.__init__)})  # type: ignore[misc]
