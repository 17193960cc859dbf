# SPDX-License-Identifier: BSD-3-Clause
"""The commands `ert`, `roofline` and `ert-gpp` of a wheel that carries the programs: each becomes its program."""

import os
import sys

from . import find_program


def main() -> None:
    path = find_program(os.path.basename(sys.argv[0]))
    os.execv(path, [path, *sys.argv[1:]])
