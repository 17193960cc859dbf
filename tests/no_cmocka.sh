#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Stands in for the unit tests where configure found no cmocka: tests that did not run are no pass.
echo "1..1"
echo "not ok 1 - the unit tests were not built: install libcmocka-dev and run configure again"
