#!/usr/bin/env bash
# The kernels' tests under GCC's sanitizers; `make sanitize` calls it as: sanitize.sh PYTHON [ARGUMENTS OF PYTEST].
#
# The kernels are built and installed in build/sanitize. What is found fails the run, also in a process that a test
# starts: reports are written to files and looked for afterwards. In forks beside threads the thread sanitizer looks away.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

venv_python=$1
shift
tests=("$@")
[ $# -gt 0 ] || tests=(tests/kernel tests/test_threads.py)

# The interpreter below .venv, given the packages of .venv by name: one in .venv would import the build that is there.
python=$(readlink -f "$venv_python")
packages=$("$venv_python" -c 'import sysconfig as s; print(s.get_path("purelib"), s.get_path("platlib"), sep=":")')

# Old runtimes lose their way where the system scatters addresses widely; some containers do not let one stop it.
orderly=()
if setarch -R true 2> /dev/null; then orderly=(setarch -R); fi

build() {  # HOME SANITIZERS
  mkdir -p "$1"
  "$venv_python" -m pip --disable-pip-version-check install --no-build-isolation --no-deps --upgrade \
    --target "$1/site" -Cbuild-dir="$1/cmake" -Ccmake.build-type=Debug -Ccmake.define.SAVVYBAYES_SANITIZE="$2" . \
    > "$1/build.log" 2>&1 || { cat "$1/build.log"; exit 1; }
}

watched() {  # HOME COMMAND...: a command whose every process loads the sanitizers' libraries before all others
  local home=$1 core first options
  shift
  core=$(echo "$home"/site/savvybayes/_kernel/_core.*.so)
  # libstdc++ as well: the sanitizers look for its throw when they are loaded.
  first=$(ldd "$core" | grep -oE '/[^ ]*/lib(asan|tsan|ubsan|stdc\+\+)\.so[^ ]*' | paste -sd:)
  case $first in
    *asan* | *tsan*) ;;
    *) echo "GCC's sanitizers are not in $core: they need GCC on Linux (CXX=g++)" >&2; exit 1 ;;
  esac
  # Too large a request is answered with none, as without sanitizers; the limit is that of tests/children.py.
  options=log_path=$home/reports/report:allocator_may_return_null=1:max_allocation_size_mb=3072
  # Leaks are not looked for: CPython keeps much until its end. After a fork beside threads a child may start threads of
  # its own, which the thread sanitizer does not like: the pool is made for it.
  env PYTHONPATH="$home/site:$packages" PYTHONDONTWRITEBYTECODE=1 \
    ASAN_OPTIONS="$options:detect_leaks=0:handle_abort=1" \
    UBSAN_OPTIONS=print_stacktrace=1 \
    TSAN_OPTIONS="$options:die_after_fork=0" \
    ${orderly[@]+"${orderly[@]}"} env LD_PRELOAD="$first" "$@"
}

run() {  # SANITIZERS LEVELS...
  local sanitizers=$1 home=$PWD/build/sanitize/${1%%,*} level used
  shift
  echo "Building the kernels with -fsanitize=$sanitizers ..."
  build "$home" "$sanitizers"
  for level in "$@"; do
    rm -rf "$home/reports"
    mkdir "$home/reports"
    export SAVVYBAYES_KERNELS=$level
    used=$(watched "$home" "$python" -c '
import sys
from savvybayes import _kernel
assert _kernel._core.__file__.startswith(sys.argv[1]), "another build is in the way: " + _kernel._core.__file__
print(_kernel.instructions())' "$home")
    if [ "$used" != "$level" ]; then
      echo "--- $sanitizers, $level: not on this machine"
      continue
    fi
    echo "--- $sanitizers, $used"
    failed=
    # Arithmetic is reported on the standard error, which pytest may not keep; a crash is the sanitizers' to report.
    watched "$home" "$python" -m pytest -q --capture=sys -p no:faulthandler "${tests[@]}" || failed=yes
    # Not every file is a report: requests for too much memory are noted there, too.
    for report in $(grep -ls SUMMARY: "$home"/reports/*); do
      cat "$report"
      failed=yes
    done
    if [ -n "$failed" ]; then
      echo "--- $sanitizers, $used: FAILED" >&2
      exit 1
    fi
  done
}

run address,undefined,float-cast-overflow plain neon avx2 avx512
run thread plain neon avx2 avx512
echo 'Nothing found.'
