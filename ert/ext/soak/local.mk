# SPDX-License-Identifier: BSD-3-Clause
# ert soak: the recorded ceilings in turn for hours, with every result checked.
ert_ert_SOURCES += ert/ext/soak/cmd_soak.c
EXTRA_DIST += ert/ext/soak/README.md
