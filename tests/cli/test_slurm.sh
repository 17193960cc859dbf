#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The batch scripts of configs/slurm: they measure (the planted machine), with and without Slurm, and
# ask for the whole node without a binding.
. "$top_srcdir/tests/tap.sh"
scripts=$top_srcdir/configs/slurm
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset SLURM_JOB_ID SLURM_CPUS_ON_NODE NUMA_NODE ERT_CONFIG HWLOC_XMLFILE
ERT=$top_builddir/ert/ert
ERT_RESULTS=$work/results
ERT_REPEAT=2
export ERT ERT_RESULTS ERT_REPEAT

# srun and numactl that only write down what they were asked for.
mkdir "$work/bin" || exit 1
for name in srun numactl; do
    cat >"$work/bin/$name" <<SCRIPT
#!/bin/sh
echo "$name \$*" >>"$work/asked"
while :; do
    case \$1 in
    --*) shift ;;
    *) break ;;
    esac
done
exec "\$@"
SCRIPT
    chmod +x "$work/bin/$name"
done

# run NAME WORDS...: the script on the planted machine, quickly.
run() {
    name=$1
    shift
    "$scripts/$name.sh" --device fake --budget 5s "$@" >"$work/log" 2>&1 || {
        cat "$work/log"
        return 1
    }
}

alone() {
    rm -rf "$ERT_RESULTS"
    run "$1" && [ -s "$ERT_RESULTS/local/ceilings.json" ] &&
        "$ERT" show "$ERT_RESULTS/local/ceilings.json" | grep -q "L1-load"
}

# As a job: by srun, one task, all CPUs of the node, no binding; a folder by the job's number.
as_job() {
    : >"$work/asked"
    SLURM_JOB_ID=4711 SLURM_CPUS_ON_NODE=272 PATH="$work/bin:$PATH" run "$1" || return 1
    cat "$work/asked"
    [ -s "$ERT_RESULTS/4711/ceilings.json" ] &&
        grep -q "^srun --nodes=1 --ntasks=1 --cpus-per-task=272 --cpu-bind=none --mem-bind=none" \
            "$work/asked"
}

# What is asked of Slurm stands before the first command, or sbatch does not read it.
asks() {
    awk '/^#SBATCH/ && seen { bad = 1 } !/^#/ && NF { seen = 1 } END { exit bad }' "$1" &&
        for words in --nodes=1 --ntasks=1 --exclusive --mem=0 --time= "--output=ert-%j.log"; do
            grep -q "^#SBATCH $words" "$1" || { echo "no $words in $1"; return 1; }
        done
}

# The script's own preset is one that exists.
has_preset() {
    preset=$(sed -n 's/^config=${ERT_CONFIG:-\(.*\)}$/\1/p' "$1")
    [ -n "$preset" ] && [ -f "$top_srcdir/configs/$preset.json" ]
}

for name in cpu-node gpu-node knl-quad-cache knl-quad-flat v100-node; do
    check "$name asks for the node" asks "$scripts/$name.sh"
    check "$name has a preset" has_preset "$scripts/$name.sh"
done
# knl pins AVX-512, which the planted machine does not know.
check "cpu-node without Slurm" alone cpu-node
check "gpu-node without Slurm" alone gpu-node
check "v100-node without Slurm" alone v100-node
check "cpu-node as a job" as_job cpu-node
check "gpu-node as a job" as_job gpu-node
check "v100-node as a job" as_job v100-node
ERT_CONFIG=quick
export ERT_CONFIG
check "knl-quad-cache as a job" as_job knl-quad-cache
check "knl-quad-flat without Slurm" alone knl-quad-flat

one_socket() {
    : >"$work/asked"
    NUMA_NODE=1 PATH="$work/bin:$PATH" run cpu-node &&
        grep -q "^numactl --cpunodebind=1 --membind=1 $ERT run --config quick" "$work/asked"
}
check "one socket" one_socket

check "a failing run fails the job" gives 2 env ERT_CONFIG=nonsense "$scripts/cpu-node.sh"

# A fleet: srun runs the command on each node of its list; one that is dead ends the step on all of them.
mkdir "$work/fleet"
cat >"$work/fleet/srun" <<'SCRIPT'
#!/bin/sh
while :; do
    case $1 in
    --nodelist=*) list=${1#*=} ;;
    --*) ;;
    *) break ;;
    esac
    shift
done
[ -f "$list" ] && list=$(cat "$list")
echo "$list" | tr '\n' ' ' >>"$ASKED"
case " $(echo $list) " in
*" n2 "*) echo "srun: error: Task launch failed on node n2" >&2 && exit 1 ;;
esac
for host in $list; do
    slower=0
    [ "$host" != n4 ] || slower=0.3
    SLURMD_NODENAME=$host ERT_FAKE=slower=$slower,seed=${host#n} "$@" || :
done
SCRIPT
cat >"$work/fleet/scontrol" <<'SCRIPT'
#!/bin/sh
[ "$*" = "show hostnames n[1-8]" ] && seq -f n%.0f 8
SCRIPT
chmod +x "$work/fleet/srun" "$work/fleet/scontrol"
fleet() {
    SLURM_JOB_ID=17 SLURM_JOB_NODELIST="n[1-8]" ASKED=$work/nodes PATH="$work/fleet:$PATH" \
        "$scripts/fleet.sh" --device fake --budget 2s >"$work/log" 2>&1
}
names() {
    echo $(sed -n 's/^\(bad\|open\)  *\([a-z]*\) *\(n[0-9]\): .*/\2 \3/p' "$ERT_RESULTS/17/report/fleet.txt")
}
rm -rf "$ERT_RESULTS"
check "fleet: a slow node and a dead one fail the job" gives 1 fleet
check "fleet: they alone are named" test "$(names)" = "slow n4 missing n2"
check "fleet: the slow one was measured three times" test "$(grep -c . "$ERT_RESULTS/17/n4.ndjson")" -eq 3
check "fleet: the others once" test "$(grep -c . "$ERT_RESULTS/17/n3.ndjson")" -eq 1

# A node check: the same machine, one with another L1, and files that are not there.
normal=$work/normal
check "what is normal is measured" "$ERT" run --device fake --quick --repeat 2 --out "$normal"
check "node-check: the same" gives 0 "$scripts/node-check.sh" "$normal/ceilings.json"
check "node-check: no file" gives 2 "$scripts/node-check.sh" "$work/none.json"
check "node-check: no word" gives 2 "$scripts/node-check.sh"
check "node-check: slower than it was" gives 1 env ERT_FAKE=outliers=1 \
    "$scripts/node-check.sh" "$normal/ceilings.json"
check "node-check: says which node" answers 1 "is not as in $normal/ceilings.json" \
    env ERT_FAKE=outliers=1 "$scripts/node-check.sh" "$normal/ceilings.json"
# Disturbed: always, and at the first look only.
printf '#!/bin/sh\necho look >>"%s/looks"\nexit 4\n' "$work" >"$work/bin/invalid"
printf '#!/bin/sh\n[ -e "%s/seen" ] && exit 0\ntouch "%s/seen"\nexit 4\n' "$work" "$work" \
    >"$work/bin/calms"
chmod +x "$work/bin/invalid" "$work/bin/calms"
ERT_RETRY_S=0
export ERT_RETRY_S
check "node-check: bad conditions are no verdict" gives 0 env "ERT=$work/bin/invalid" \
    "$scripts/node-check.sh" "$normal/ceilings.json"
check "node-check: two looks" test "$(wc -l <"$work/looks")" -eq 2
check "node-check: a second look that is good is enough" gives 0 env "ERT=$work/bin/calms" \
    "$scripts/node-check.sh" "$normal/ceilings.json"
asks_for_no_drain() {
    ! env "ERT=$work/bin/invalid" "$scripts/node-check.sh" "$normal/ceilings.json" 2>&1 |
        grep -i drain
}
check "node-check: bad conditions ask for no drain" asks_for_no_drain
check "node-check: and says so" prints "cannot judge" env "ERT=$work/bin/invalid" \
    "$scripts/node-check.sh" "$normal/ceilings.json"

# A busy task on each CPU, and this machine's own cores: 4 from strict run and verify, never 1. No time is
# asserted. What else runs makes it busier only.
burn() {
    burners=
    for cpu in $(seq "$(nproc)"); do
        sh -c 'while :; do :; done' &
        burners="$burners $!"
    done
    "$@"
    result=$?
    kill $burners
    wait $burners 2>/dev/null
    return $result
}

cat >"$work/small.json" <<'JSON'
{"schema": "ert-config/2", "device": "cpu", "kernels": ["load", "fma_fp64"],
 "working_set_max_bytes": 33554432, "region_s": 0.001, "rounds": 3, "leader_rounds": 6,
 "points_per_octave": 1, "sections": ["levels", "compute"]}
JSON
run_says() {
    rm -rf "$work/busy"
    gives 4 "$ERT" run --strict --config "$work/small.json" --out "$work/busy" >"$work/log" 2>&1 || {
        cat "$work/log"
        return 1
    }
    # The other word where another test measures these CPUs, too.
    for words in "other programs had" "to do *\(stop the other programs\|do not measure\)"; do
        grep -q "$words" "$work/log" || { echo "no '$words'"; cat "$work/log"; return 1; }
    done
}
node_check_says() {
    gives 0 "$scripts/node-check.sh" "$work/busy/ceilings.json" >"$work/log" 2>&1 &&
        grep -q "cannot judge" "$work/log" && ! grep -qi "drain" "$work/log" || {
        cat "$work/log"
        return 1
    }
}
if [ -r /proc/stat ] && grep -q '^cpu0 ' /proc/stat; then
    check "a busy machine: run --strict gives 4 and says what to do" burn run_says
    check "a busy machine: verify --strict gives 4" burn gives 4 "$ERT" verify --strict \
        "$work/busy/ceilings.json"
    check "a busy machine: node-check cannot judge, and asks for no drain" burn node_check_says
else
    skip "a busy machine" "no /proc/stat that names CPUs"
fi

if command -v shellcheck >/dev/null; then
    check "shellcheck finds nothing" empty shellcheck "$scripts"/*.sh
else
    skip "shellcheck finds nothing" "no shellcheck on this machine"
fi
done_testing
