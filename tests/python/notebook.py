# SPDX-License-Identifier: BSD-3-Clause
"""notebook.py FILE [no-pandas]: runs the code of a notebook, cell by cell in one namespace, in this folder.

The last cell asserts what the notebook shows. It must be committed as it is before anybody has run it.
"""

import json
import sys

file, hidden = sys.argv[1], sys.argv[2:]
with open(file, encoding="utf-8") as opened:
    cells = json.load(opened)["cells"]
code = [cell for cell in cells if cell["cell_type"] == "code"]
if any(cell["outputs"] or cell["execution_count"] for cell in code):
    sys.exit(f"{file}: has outputs")
if len(cells) >= 15:
    sys.exit(f"{file}: {len(cells)} cells, must be fewer than 15")
if not any(line.startswith("assert ") for line in code[-1]["source"]) or cells[-1] is not code[-1]:
    sys.exit(f"{file}: the last cell asserts nothing")
if hidden:
    sys.modules["pandas"] = None  # an import of it fails
namespace = {"__name__": "__main__"}
for cell in code:
    exec(compile("".join(cell["source"]), f"{file} {cell['id']}", "exec"), namespace)
