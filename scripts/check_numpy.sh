#!/bin/sh
# Compares random expressions with NumPy 2, in a virtual environment below build. The arguments are those of
# tests/expression/numpy_check.py: the test program, --seed S, --count N.
set -eu
cd "$(dirname "$0")/.."
python=build/numpy/bin/python
if ! [ -x $python ] || ! $python -c 'import numpy; assert numpy.__version__ >= "2"' 2>/dev/null; then
    mkdir -p build
    { python3 -m venv build/numpy && build/numpy/bin/pip install -q 'numpy>=2'; } >build/numpy.log 2>&1 || {
        cat build/numpy.log >&2
        echo "check_numpy: SKIPPED, NumPy 2 could not be installed, see above" >&2
        exit 0
    }
fi
$python tests/expression/numpy_check.py "$@"
