#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# study.sh STUDY WORDS...: `python3 -m roofline` of this tree, with the programs of $top_builddir.
PYTHONPATH=${0%/*}/../../analysis/ext/python PATH=$top_builddir/analysis:$PATH PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PATH PYTHONDONTWRITEBYTECODE
exec python3 -m roofline "$@"
