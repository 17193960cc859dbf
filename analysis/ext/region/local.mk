# SPDX-License-Identifier: BSD-3-Clause
# Names of a program's regions: files to copy or to include.
include_HEADERS += analysis/ext/region/rfl_region.h
regiondir = $(datadir)/roofline/region
dist_region_DATA = analysis/ext/region/rfl_region.f90 analysis/ext/region/rfl_region_fortran.c \
	analysis/ext/region/rfl_region.py
EXTRA_DIST += analysis/ext/region/README.md
