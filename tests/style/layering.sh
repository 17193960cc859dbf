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

# The core, in the order in which data flows.
base=ert/core/base/
ert110=ert/ext/ert110/
module ert/core/base $base
module ert/core/kernels $base ert/core/kernels/
module ert/core/machine $base ert/core/kernels/ ert/core/machine/
module ert/core/stats $base ert/core/stats/
backend="$base ert/core/machine/ ert/core/stats/ ert/core/kernels/ ert/core/backend/"
module ert/core/backend $backend
module ert/fake $backend ert/fake/
module ert/core/sweep $backend ert/core/sweep/
# A ceiling carries the launch that gave it: the backend's variant, and nothing else from there.
module ert/core/ceilings $base ert/core/machine/ ert/core/kernels/ ert/core/stats/ ert/core/ceilings/ \
    ert/core/backend/backend.h
module ert/core/fit $backend ert/core/sweep/ ert/core/ceilings/ ert/core/fit/

# The extensions: each includes the core and itself.
core=ert/core/
ext=ert/ext/base/
module ert/ext/base $base $ext
module ert/ext/isa $backend ert/ext/isa/
module ert/ext/sections $core ert/ext/sections/
module ert/ext/ncu $base $ext ert/ext/ncu/
module ert/ext/module $backend ert/ext/backends.def ert/ext/module/
module ert/ext/cuda $backend ert/ext/module/ ert/ext/cuda/ ert/ext/ncu/ ${ert110}kernels.h
module ert/ext/ert110 $core $ext $ert110
module ert/ext/verify $core ert/cli/ ert/ext/verify/
module ert/ext/validate $core $ext ert/cli/ ert/ext/validate/ ert/ext/ncu/ ${ert110}kernels.h
# Records of many machines: what a node measured; `fleet node` measures and verifies.
module ert/ext/fleet $core $ext ert/cli/ ert/ext/fleet/ ert/ext/verify/
# ert-net is a program of its own, the only one with MPI; what has none of it is in the library.
module ert/ext/net $core $ext ert/cli/ ert/ext/fleet/ ert/ext/net/
module ert/cli ert/ analysis/ # the program draws what it measured

# The library of programs knows the machine that it runs on again (fingerprint).
data="$base ert/core/ceilings/ ert/core/machine/machine.h ert/core/stats/"
module analysis/core/points $base ert/core/ceilings/ceilings.h analysis/core/points/ \
    analysis/core/place/roofs.h
module analysis/core/place $data analysis/core/points/ analysis/core/place/
module analysis/core/chart $data analysis/core/
acore="$data analysis/core/ analysis/cli/ ert/core/machine/discover.h"
json=analysis/ext/json/
module analysis/ext/import $acore $ext $json ert/ext/ncu/ analysis/ext/import/
module analysis/ext/record $acore $ext $json ert/core/machine/activity.h ert/ext/ncu/ \
    analysis/ext/import/ analysis/ext/record/ analysis/ext/region/
for name in advice cairo compare export json page lib region views; do
    module analysis/ext/$name $acore $ext $json analysis/ext/$name/
done
module analysis/cli $acore
# The mini-app takes the CPU's features and CUDA's errors from ert; its command thread places and statistics.
module gpp $base ert/core/machine/machine.h ert/core/machine/features.h ert/ext/cuda/check.h \
    ert/ext/cuda/device.h ert/ext/cuda/nvml.h ert/ext/module/module.h gpp/
module gpp/cli $base ${json}json.h analysis/core/place/report.h ert/core/backend/cpu/pin.h \
    ert/core/machine/discover.h ert/core/machine/presence.h ert/core/stats/stats.h gpp/
# Programs of users, but for the options, the clock and NVML that there are already.
module examples $base analysis/ext/region/ ert/core/stats/stats.h \
    ert/ext/cuda/nvml.h examples/
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
