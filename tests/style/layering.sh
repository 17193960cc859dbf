#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Which module may include which: a module includes itself and what its row names, nothing above it.
. "$top_srcdir/tests/tap.sh"
cd "$top_srcdir" || exit 1

# Prints the quoted includes of the sources below $1 that start with none of the other words. A
# folder's cli module has a row of its own.
foreign_includes() {
    folder=$1
    shift
    find "$folder" -path "$folder/cli" -prune -o \( \
        -name '*.[ch]' -o -name '*.inc' -o -name '*.cu' -o -name '*.cuh' \) -print | sort |
        xargs -r grep -H '^[ 	]*#[ 	]*include[ 	]*"' /dev/null |
        awk -v allowed="$*" '
            BEGIN { n = split(allowed, prefix, " ") }
            {
                split($0, part, "\"")
                for (i = 1; i <= n; i++)
                    if (index(part[2], prefix[i]) == 1)
                        next
                print
            }'
}

# module NAME ALLOWED...: modules of ert/ by their names, other folders by their paths.
module() {
    name=$1
    shift
    [ -d "$name" ] || return 0
    check "$name includes only $*" empty foreign_includes "$name" "$@"
}

base=ert/base/
machine="$base ert/machine/"
stats="$base ert/stats/"
kernels="$base ert/kernels/"
module ert/base $base
module ert/machine $machine
module ert/stats $stats
module ert/kernels $kernels
# The ert110 mode is above ceilings; the modules below know its data and its hook only.
module ert/backend $base ert/machine/ ert/stats/ ert/kernels/ ert/backend/ ert/ert110/options.h
module ert/sweep $base ert/machine/ ert/kernels/ ert/backend/ ert/stats/ ert/sweep/ \
    ert/ert110/hook.h ert/ert110/options.h
# A ceiling carries the launch that gave it: the backend's variant, and nothing else from there.
module ert/ceilings $base ert/machine/ ert/kernels/ ert/stats/ ert/sweep/ ert/ceilings/ \
    ert/ert110/hook.h ert/ert110/options.h ert/backend/backend.h
module ert/ert110 $base ert/machine/ ert/kernels/ ert/stats/ ert/backend/ ert/sweep/ ert/ceilings/ \
    ert/ert110/
module ert/validate $base ert/machine/ ert/stats/ ert/kernels/ ert/backend/ ert/sweep/ ert/ceilings/ \
    ert/ert110/ ert/validate/
# Records of many machines: what a node measured, and nothing of how.
module ert/fleet $base ert/machine/ ert/stats/ ert/ceilings/ ert/fleet/
# A program of its own, the only one with MPI; what has none of it is in the library.
module ert/net $base ert/machine/ ert/stats/ ert/ceilings/ceilings.h ert/ceilings/extras.h ert/fleet/ ert/net/
module ert/cli ert/ analysis/ # the program draws what it measured
# The library knows the machine that it runs on again (fingerprint).
module analysis $base ert/stats/stats.h \
    ert/ceilings/ceilings.h ert/ceilings/clock.h ert/ceilings/traffic.h ert/stats/differ.h \
    ert/machine/machine.h ert/machine/discover.h analysis/
module analysis/cli $base ert/ceilings/ceilings.h ert/ceilings/table.h ert/machine/discover.h analysis/
# The mini-app takes the CPU's features, thread places, statistics and CUDA's errors from ert; it runs ncu as
# ert validate does, and reads its table through the importer.
module gpp $base analysis/points.h analysis/import/import.h \
    ert/machine/machine.h ert/machine/features.h ert/machine/presence.h ert/stats/stats.h \
    ert/backend/cpu/pin.h ert/backend/cuda/check.h ert/backend/cuda/device.h ert/backend/cuda/nvml.h \
    ert/backend/module.h ert/validate/ncu.h gpp/
module gpp/cli $base analysis/points_json.h analysis/report.h ert/backend/cpu/pin.h \
    ert/machine/discover.h gpp/
# Programs of users, but for the options, the clock and the energy counters that there are already.
module examples $base analysis/region/ ert/stats/stats.h ert/backend/cpu/session.h \
    ert/backend/cuda/nvml.h examples/
module tests ert/ analysis/ gpp/ tests/

# Prints the includes on a cycle between files, where a file is its header and its source together. What
# nothing includes, or what includes nothing, is on none: it is taken away until nothing more is.
cycles() {
    find "$@" \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.inc' \) -print |
        xargs grep -H '^[ 	]*#[ 	]*include[ 	]*"' /dev/null |
        awk '
            function name(path) { sub(/\.[a-z]*$/, "", path); return path }
            {
                split($0, part, "\"")
                from = name(substr($0, 1, index($0, ":") - 1))
                to = name(part[2])
                if (from != to && !((from, to) in edge)) {
                    edge[from, to] = 1; out[from]++; into[to]++
                }
            }
            END {
                do {
                    changed = 0
                    for (e in edge) {
                        split(e, end, SUBSEP)
                        if (into[end[1]] > 0 && out[end[2]] > 0)
                            continue
                        delete edge[e]; out[end[1]]--; into[end[2]]--; changed = 1
                    }
                } while (changed)
                for (e in edge) { split(e, end, SUBSEP); print end[1] " -> " end[2] }
            }' | sort
}

check "no file includes itself through others" empty cycles ert analysis gpp

# The table above is no use when it cannot find a fault: a planted one must be seen.
planted=$(mktemp -d) || exit 1
mkdir "$planted/low"
echo '#include "ert/cli/cmd.h"' >"$planted/low/a.c"
check "a planted include upwards is found" \
    prints ert/cli/cmd.h foreign_includes "$planted/low" $base
echo '#include "low/b.h"' >"$planted/low/a.h"
echo '#include "low/c.h"' >"$planted/low/b.c"
echo '#include "low/a.h"' >"$planted/low/c.h"
echo '#include "low/a.h"' >"$planted/low/user.c"
planted_cycle() { (cd "$planted" && cycles low); }
check "a planted cycle through a header and a source is found" prints "low/b -> low/c" planted_cycle
check "and what only uses it is not on it" lacks low/user planted_cycle
rm -r "$planted"
done_testing
