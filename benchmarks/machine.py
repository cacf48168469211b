"""Facts of the machine and of what is installed, to be kept beside the figures."""

from __future__ import annotations

import os
import platform
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from models import CORES, THREADS
from savvybayes import _kernel

PACKAGES = ("savvybayes", "numpy", "scikit-learn", "pandas", "lightgbm", "xgboost", "pyagrum")


def facts() -> dict[str, Any]:
    """Processor, cores, instructions, versions and date."""
    return {
        "processor": _processor(),
        "cores": CORES,
        "threads": THREADS,
        "instructions": _kernel.instructions(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": {name: found for name in PACKAGES if (found := installed(name))},
        "date": datetime.now().astimezone().isoformat(timespec="seconds"),
    }


def installed(package: str) -> str | None:
    """The version of a package, where it is installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    told = Path("/proc/cpuinfo")
    lines = told.read_text().splitlines() if told.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
