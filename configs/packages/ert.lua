-- SPDX-License-Identifier: BSD-3-Clause
-- A module file for Lmod: copy it to MODULEPATH/ert/2.0.0.lua and name the prefix that configure got.
local prefix = "/opt/ert/2.0.0"

help([[ert measures what this machine attains; roofline places kernels under these ceilings.]])
whatis("Name: ert")
whatis("Version: 2.0.0")
whatis("Description: measured ceilings of a machine, and what bounds a code on it")

conflict("ert")
prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("MANPATH", pathJoin(prefix, "share/man"))
prepend_path("PKG_CONFIG_PATH", pathJoin(prefix, "lib/pkgconfig"))
prepend_path("CPATH", pathJoin(prefix, "include"))
prepend_path("LIBRARY_PATH", pathJoin(prefix, "lib"))
