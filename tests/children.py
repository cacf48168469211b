"""Python in another process: for what might crash, hang, be interrupted, or fork."""

from __future__ import annotations

import ctypes
import json
import signal
import subprocess
import sys
import textwrap
from collections.abc import Mapping, Sequence

# The sanitizer that watches, if any (`make sanitize`). It is slow, and it reserves terabytes of addresses for its own
# books: no limit can be set on them, so its options say how much memory one may ask for.
SANITIZER = next((name for name in ("asan", "tsan") if hasattr(ctypes.CDLL(None), f"__{name}_init")), None)

# What a hanging child is given before the test fails: no measure of speed, since a sound child needs seconds.
SECONDS = 1000 if SANITIZER else 100

_CALLS = """
import json, os, resource, sys, warnings
given = json.load(sys.stdin)
warnings.simplefilter("ignore")
exec(given["prelude"])
outcomes = {}
for call in given["calls"]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        if given["limited"]:
            resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
        try:
            eval(call)
            outcome = "no error"
        except BaseException as error:
            outcome = type(error).__name__
        os.write(writing, outcome.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        said = answer.read()
    _, status = os.waitpid(child, 0)
    outcomes[call] = said if status == 0 else f"crash: {os.waitstatus_to_exitcode(status)}"
json.dump(outcomes, sys.stdout)
"""


def outcomes(prelude: str, calls: Sequence[str]) -> Mapping[str, str]:
    """Return what became of each call, each made in a process of its own: an error's name, "no error" or "crash"."""
    given = json.dumps({"prelude": textwrap.dedent(prelude), "calls": list(calls), "limited": SANITIZER is None})
    # What a crash has to say goes where pytest shows it.
    done = subprocess.run(
        [sys.executable, "-c", _CALLS], input=given, stdout=subprocess.PIPE, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0
    result: Mapping[str, str] = json.loads(done.stdout)
    return result


def run(script: str) -> str:
    """Run a script, and return what it printed; it must end well."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def interrupt(script: str) -> str:
    """Run a script that prints a line before it begins its work, press Ctrl-C then, and return what it prints after."""
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        try:
            child.communicate(timeout=0.5)  # well inside the work
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGINT)
        try:
            said, complaint = child.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            raise
    assert child.returncode == 0, complaint
    return said
