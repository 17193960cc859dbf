# SPDX-License-Identifier: BSD-3-Clause
"""The programs of ert, which this wheel carries."""
import os
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin")


def run():
    """Becomes the program of the name by which it was called."""
    name = os.path.basename(sys.argv[0])
    os.execv(os.path.join(FOLDER, name), [name] + sys.argv[1:])
