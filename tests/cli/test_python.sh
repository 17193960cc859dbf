#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The Python package: its tests, its types, the wheel.
. "$top_srcdir/tests/tap.sh"
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    echo "1..0 # SKIP no Python 3.9"
    exit 0
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

package() {
    PYTHONPATH=$1 python3 "$top_srcdir/tests/python/test_roofline.py" \
        "$top_builddir/tests/unit/plant_ceilings" "$top_builddir/analysis/roofline" \
        "$top_srcdir/tests/data/points/gpp-v100.json" "$top_builddir/ert/ert"
}

profiles() {
    PYTHONPATH=$top_srcdir/analysis/ext/python TMPDIR=$scratch python3 \
        "$top_srcdir/tests/python/test_profiles.py" "$top_builddir/analysis/roofline" \
        "$top_srcdir/tests/data/ncu/h100-babelstream-raw.csv"
}

of_ert() {
    PYTHONPATH=$top_srcdir/analysis/ext/python TMPDIR=$scratch python3 \
        "$top_srcdir/tests/python/test_ert_$1.py" "$top_srcdir"
}

build_wheel() {
    cp -R "$top_srcdir/analysis/ext/python" "$scratch/source" && chmod -R u+w "$scratch/source" &&
        python3 -m pip wheel --quiet --no-deps --no-build-isolation -w "$scratch" "$scratch/source"
}

install_wheel() {
    python3 -m pip install --quiet --no-deps --no-index --target "$scratch/installed" "$scratch"/*.whl &&
        [ -f "$scratch/installed/roofline/py.typed" ]
}

plugin() {
    PATH=$top_builddir/analysis:$PATH PYTHONPATH=$top_srcdir/analysis/ext/python TMPDIR=$scratch \
        python3 -m pytest -q -p no:cacheprovider -p pytester "$top_srcdir/tests/python/test_plugin.py"
}

check "the package's tests" package "$top_srcdir/analysis/ext/python"
check "profiles of nsys, rocprofv3, nvprof and ncu_report" profiles
check "configurations of LBNL's ERT" of_ert config
check "results of LBNL's ERT" of_ert ceilings
has_pytest=no
if python3 -c 'import pytest' 2>/dev/null; then
    has_pytest=yes
    check "the fixture of pytest" plugin
else
    skip "the fixture of pytest" "no pytest"
fi
if python3 -c 'import mypy' 2>/dev/null; then
    # Without pytest its fixture has no types.
    [ $has_pytest = yes ] || set -- --exclude pytest_plugin
    check "its types" python3 -m mypy --strict --cache-dir "$scratch/mypy" "$@" \
        "$top_srcdir/analysis/ext/python/roofline"
else
    skip "its types" "no mypy"
fi
if python3 -c 'import setuptools, wheel, pip' 2>/dev/null; then
    check "the wheel is built" build_wheel
    check "and installed" install_wheel
    check "and passes the tests" package "$scratch/installed"
    if [ $has_pytest = yes ]; then
        check "and pytest finds the fixture" prints "--roofline-update" env PYTHONPATH="$scratch/installed" \
            python3 -m pytest --help
    fi
else
    skip "the wheel" "no pip, setuptools and wheel"
fi
done_testing
