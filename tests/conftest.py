"""What holds for all tests: the settings scikit-learn's checks ask for, and the end of the other process."""

from __future__ import annotations

import os

# Read once, when SciPy is imported: without it scikit-learn skips its check of array API inputs.
os.environ["SCIPY_ARRAY_API"] = "1"

from collections.abc import Iterator

import pytest


def pytest_report_header() -> str:
    """Say which set of instructions the kernels use."""
    from savvybayes import _kernel

    return f"kernels: {_kernel.instructions()}"


@pytest.fixture(scope="session", autouse=True)
def _other_process() -> Iterator[None]:
    """Let go of the other process that blocks are sent to, if there was any use for it."""
    yield
    import sources

    sources.close()
