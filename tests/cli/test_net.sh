#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ert-net, with each MPI that is here, over a network with planted faults (tests/fleet/planted_net.c): what
# is planted is in the records, and nothing else is. No rate of this machine is judged: a planted one is far
# below any.
. "$top_srcdir/tests/tap.sh"
if [ ! -x "$top_builddir/ert/ext/net/ert-net" ]; then
    echo "1..0 # SKIP ert-net is not built (configure found no mpicc, or --without-mpi)"
    exit 0
fi
if ! command -v python3 >/dev/null; then
    echo "1..0 # SKIP no python3, which reads the records"
    exit 0
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_base_warn_component_unused=0
export OMPI_MCA_mpi_yield_when_idle OMPI_MCA_btl_base_warn_component_unused

# records PYTHON: succeeds when the expression holds over `lines` of net.ndjson; pair(l) is {"n1", "n2"}, and
# ok, bad, of(test) choose lines of pairs.
records() {
    python3 - "$scratch/net.ndjson" "$1" <<'PYTHON'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
pairs = [l for l in lines if l["line"] == "pair"]
ok = [l for l in pairs if l["state"] == "ok"]
bad = [l for l in pairs if l["state"] != "ok"]
def pair(l): return {l["a"], l["b"]}
def of(*tests): return [l for l in ok if l["test"] in tests]
def best(slow):  # the best of each pair: of planted ones, and of the others, which scatter on a busy machine
    top = [{}, {}]
    for l in of("one-way", "both-ways"):
        some, key = top[slow(l)], frozenset(pair(l))
        some[key] = max(some.get(key, 0), l["value"])
    return list(top[1].values()), sorted(top[0].values())
def slows(slow):
    planted, others = best(slow)
    return max(planted) < 10.1e6 < others[len(others) // 2]
held = eval("(" + sys.argv[2] + ")")
if not held:
    print(sys.argv[2])
    for l in pairs:
        print(l["a"], l["b"], l["test"], l["value"], l["state"], l["reason"])
sys.exit(not held)
PYTHON
}

# net STATUS RANKS FAULTS OPTIONS...: a run, whose records are then looked at.
net() {
    wanted=$1 ranks=$2 faults=$3
    shift 3
    rm -f "$scratch/net.ndjson"
    check "$mpi: $ranks ranks${faults:+, $faults}${*:+, $*}: exit code $wanted" gives "$wanted" \
        said env PLANTED_NET="$faults" PRELOADED="$scratch/planted.so" timeout 300 \
        "$mpirun" -n "$ranks" sh -c 'LD_PRELOAD=$PRELOADED exec "$0" "$@"' \
        "$program" --hosts-by-rank --time 2ms --size 64KiB --out "$scratch/net.ndjson" "$@"
}

# said COMMAND...: what it says is kept, and shown. Where rank 0 ends with 1, MPICH's mpirun ends the others,
# and adds their 9 if it sees it.
said() {
    status=0
    "$@" >"$scratch/out" 2>&1 || status=$?
    [ "$mpi $status" != "MPICH 9" ] || status=1
    cat "$scratch/out"
    return "$status"
}

# is_once TEXT: one rank says it.
is_once() {
    [ "$(grep -c "$1" "$scratch/out")" = 1 ]
}

holds() {
    check "$mpi: $1" records "$2"
}

# What any MPI must do.
short_suite() {
    net 0 4 "" --deadline 60s
    holds "a whole run" 'lines[0]["hosts"] == ["n1", "n2", "n3", "n4"] and
        lines[-1]["line"] == "end" and lines[-1]["status"] == "complete" and
        not bad'
    holds "each pair, and each way" 'all(sum(l["a"] == a and l["b"] == b
        for l in of("one-way")) == 1 for a in lines[0]["hosts"] for b in lines[0]["hosts"] if a != b)'
    holds "rounds are of disjoint pairs" 'all(len([l for l in of("latency") if l["round"] == r]) == 2
        for r in (1, 2, 3))'
    holds "intervals hold their values" 'all(l["low"] <= l["value"] <= l["high"] for l in ok)'

    # 64 KiB take 13 ms at 5 MB/s, and the first 2 ms more.
    net 0 4 "n2-n4:0.002,5e6"
    holds "a slow link" 'slows(lambda l: pair(l) == {"n2", "n4"})'

    net 1 4 "n2-n3:hang" --deadline 6s
    holds "a link that hangs, and the others" 'bad and all(pair(l) == {"n2", "n3"} and
        l["state"] == "timeout" and l["value"] == 0 for l in bad) and
        {frozenset(pair(l)) for l in of("one-way")} == {frozenset(p) for p in
        ({"n1", "n2"}, {"n1", "n3"}, {"n1", "n4"}, {"n2", "n4"}, {"n3", "n4"})}'
    holds "the file is whole" 'lines[-1]["line"] == "end" and lines[-1]["status"] == "complete"'
    check "$mpi: the error names it" grep -Eq "ert-net: n[23] - n[23]: latency: not done" "$scratch/out"

    # Rank 0 is within MPI, and cannot give up.
    net 1 4 "n1:stuck" --deadline 2s
    holds "MPI that does not return" 'lines[-1]["line"] == "end" and lines[-1]["status"] == "interrupted"'
    check "$mpi: the error says so" grep -q "ert-net: MPI did not return in time" "$scratch/out"

    net 1 3 "n2-n3:wrong-once" --time 200ms
    holds "one wrong message of a window" 'bad and all(pair(l) == {"n2", "n3"} and l["state"] == "wrong"
        for l in bad)'

    net 1 4 "n1-n4:wrong"
    holds "wrong data" 'bad and all(pair(l) == {"n1", "n4"} and l["state"] == "wrong" for l in bad)
        and {l["test"] for l in bad} >= {"one-way", "both-ways"}'
}

long_suite() {
    short_suite
    net 0 5 "n3:0.002,5e6"
    holds "a slow host" 'slows(lambda l: "n3" in pair(l)) and all(l["value"] > 0.002 for l in of("latency")
        if "n3" in pair(l))'

    net 1 4 "n4:hang" --deadline 6s
    holds "a host that hangs" 'bad and all("n4" in pair(l) and l["state"] == "timeout" for l in bad)
        and len({frozenset(pair(l)) for l in of("one-way")}) == 3'

    net 1 4 "n4:stuck" --deadline 2s
    holds "a host that reports no more" '{l["reason"] for l in bad} ==
        {"n4 did not report, and is asked no more"} and lines[-1]["status"] == "complete" and
        len({frozenset(pair(l)) for l in of("one-way")}) == 3'

    "$top_builddir/tests/unit/plant_ceilings" xeon "$scratch/ceilings.json"
    net 0 4 "" --deadline 60s --into "$scratch/ceilings.json"
    check "$mpi: ceilings of a node" prints "net-one-way" \
        "$top_builddir/ert/ert" show "$scratch/ceilings.json"
    check "$mpi: of its own pairs" python3 -c 'import json, sys
every = [c for d in json.load(open(sys.argv[1]))["devices"] for c in d["ceilings"]]
one = [c for c in every if c["kind"] == "network" and c["name"] == "net-one-way"]
print(one)
sys.exit(len(one[0]["rounds"]) != 3)' "$scratch/ceilings.json"

    net 2 2 "" --time 2s
    check "$mpi: no time for that" grep -q "must be at least 10 times --time, 2 s" "$scratch/out"
    net 2 1 ""
    check "$mpi: one host" grep -q "must be at least 2 hosts" "$scratch/out"
    net 2 2 "" --size 12
    check "$mpi: a size that is none" grep -q "must be a multiple of 8" "$scratch/out"
    net 1 2 "" --out "$scratch/none/net.ndjson"
    check "$mpi: no such folder" grep -q "No such file" "$scratch/out"
}

# All for the MPI that ert-net was built with, the short suite for each other that Debian has beside it.
configured=$(readlink -f "$(command -v "$ERT_MPICC")")
for mpicc in "$ERT_MPICC" mpicc.openmpi mpicc.mpich; do
    mpicc=$(command -v "$mpicc") || continue
    name=${mpicc##*/}
    mpi=$("$mpicc" --showme:version 2>/dev/null | grep -o 'Open MPI [0-9.]*' || echo MPICH)
    case $done in *"<$mpi>"*) continue ;; esac
    done="$done<$mpi>"
    mpirun=$(command -v "${mpicc%/*}/mpirun${name#mpicc}") || {
        skip "$mpi" "no mpirun${name#mpicc} beside $mpicc"
        continue
    }
    program=$top_builddir/ert/ext/net/ert-net
    suite=long_suite
    if [ "$(readlink -f "$mpicc")" != "$configured" ]; then
        program=$scratch/ert-net
        suite=short_suite
        check "$mpi: builds" env -C "$top_srcdir" build="$top_builddir" sh -c '
            sources=; libs=
            for word in $ERT_NET_SOURCES; do case $word in *.c) sources="$sources $word" ;; esac; done
            for word in $ERT_NET_LIBS; do
                case $word in *.a) libs="$libs $build/$word" ;; *) libs="$libs $word" ;; esac
            done
            "$0" -std=gnu11 $ERT_SANITIZERS -I. -I"$build" $ERT_CPPFLAGS -o "$1" $sources $libs \
                -lm -ldl -fopenmp' \
            "$mpicc" "$program"
    fi
    check "$mpi: the planted network builds" "$mpicc" -std=gnu11 -shared -fPIC -Wall -Werror \
        -Wno-stringop-overflow -o "$scratch/planted.so" "$top_srcdir/tests/fleet/planted_net.c"
    $suite
    [ $suite = short_suite ] || whole=yes
done
check "all of it ran with the MPI that ert-net was built with" [ "$whole" ]
done_testing
