#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The notebooks, their code run by plain Python: the last cell of each asserts what it shows.
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    echo "1..0 # SKIP no Python 3.9"
    exit 0
fi
. "$top_srcdir/tests/cli/roofline_fixture.sh"
cd "$top_srcdir/analysis/ext/python/notebooks" || exit 1
PATH=$top_builddir/analysis:$PATH PYTHONPATH=$top_srcdir/analysis/ext/python PYTHONDONTWRITEBYTECODE=1
export PATH PYTHONPATH PYTHONDONTWRITEBYTECODE

notebook() {
    python3 "$top_srcdir/tests/python/notebook.py" "$@"
}

# broken NAME CODE OTHER: the notebook with other code is red.
broken() {
    sed "s/$2/$3/" "$1.ipynb" >"$scratch/broken.ipynb"
    gives 1 quiet cmp "$1.ipynb" "$scratch/broken.ipynb" && answers 1 "Error" notebook "$scratch/broken.ipynb"
}

for file in *.ipynb; do
    check "$file" notebook "$file"
    if python3 -c 'import pandas' 2>/dev/null; then
        check "$file without pandas" notebook "$file" no-pandas
    else
        skip "$file with pandas" "no pandas"
    fi
done
check "ceilings: a wrong number is red" broken ceilings 'attainable(i, \\"HBM' 'attainable(i, \\"L2'
check "trace: a wrong order is red" broken trace '-row\[\\"headroom_s' 'row[\\"headroom_s'
check "compare: a wrong file is red" broken compare 'stencil-2' 'stencil-1'
check "outputs are not committed" answers 1 "has outputs" notebook "$(
    sed 's/"outputs": \[\]/"outputs": [1]/' ceilings.ipynb >"$scratch/run.ipynb"
    echo "$scratch/run.ipynb"
)"
done_testing
