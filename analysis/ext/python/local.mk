# SPDX-License-Identifier: BSD-3-Clause
# The same in Python, for pip.
EXTRA_DIST += analysis/ext/python/README.md analysis/ext/python/pyproject.toml \
	analysis/ext/python/setup.py analysis/ext/python/notebooks/ceilings.ipynb \
	analysis/ext/python/notebooks/compare.ipynb analysis/ext/python/notebooks/trace.ipynb \
	analysis/ext/python/notebooks/stencil-1.json analysis/ext/python/notebooks/stencil-2.json \
	analysis/ext/python/roofline/__init__.py analysis/ext/python/roofline/__main__.py \
	analysis/ext/python/roofline/collectives.py analysis/ext/python/roofline/ert_ceilings.py \
	analysis/ext/python/roofline/ert_config.py analysis/ext/python/roofline/exports.py \
	analysis/ext/python/roofline/loaded.py analysis/ext/python/roofline/nvprof.py \
	analysis/ext/python/roofline/profiles.py analysis/ext/python/roofline/pytest_plugin.py \
	analysis/ext/python/roofline/rocprof.py analysis/ext/python/roofline/studies.py \
	analysis/ext/python/roofline/py.typed
