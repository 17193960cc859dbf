#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ert validate and ert bench: files, words, exit codes; counters through a program that stands in for
# ncu and prints what it prints.
. "$top_srcdir/tests/tap.sh"
ert=$top_builddir/ert/ert
work=$(mktemp -d "${TMPDIR:-/tmp}/ert-validate-XXXXXX")
trap 'rm -rf "$work"' EXIT
h200=$top_srcdir/results/h200/ceilings.json
xeon=$top_srcdir/results/xeon-spr-vm/ceilings.json

quiet() {
    "$@" >"$work/out" 2>&1
}

holds() {
    grep -q -e "$2" "$1" || { cat "$1"; return 1; }
}

# On another architecture there is no code to look at; then nothing is proved.
code_of_cpu() {
    gives 0 quiet "$ert" validate "$xeon" --only code --out "$work/cpu.json" &&
        holds "$work/out" "fp64-fma  *agrees .* 96 FMA in 24 chains" &&
        holds "$work/cpu.json" '"code": *"agrees"' && gives 0 quiet "$ert" show "$work/cpu.json"
}

keeps_the_rest() {
    "$ert" show "$xeon" >"$work/1" && "$ert" show "$work/cpu.json" >"$work/2" &&
        cmp "$work/1" "$work/2"
}

in_place() {
    cp "$xeon" "$work/here.json" && gives 0 quiet "$ert" validate "$work/here.json" --only code &&
        cmp "$work/here.json" "$work/cpu.json"
}

# ERT's kernels, in ERT's mode, small.
ert_code_of_cpu() {
    echo '{"schema": "ert-config/2", "sections": ["ert110"], "kernels": ["ert_fp64"], "ert110_launches":
        [{"threads": 1}], "mixed_flops_per_element": [2, 8], "ert110_memory_bytes": 65536, "region_s": 0.002,
        "rounds": 1, "leader_rounds": 0, "budget_s": 0}' >"$work/ert.json"
    quiet "$ert" run --device cpu --config "$work/ert.json" --out "$work/ert" # 4 where others run too
    gives 0 quiet "$ert" validate "$work/ert/ceilings.json" --only code &&
        holds "$work/out" "fp64-fma  *agrees .* 1 load, 1 store of .* byte" &&
        ! holds "$work/out" "differs" && gives 0 quiet "$ert" bench --from "$work/ert/ceilings.json"
}

fake_has_no_code() {
    quiet "$ert" run --device fake --quick --out "$work/fake" || return 1
    gives 3 quiet "$ert" validate "$work/fake/ceilings.json" &&
        holds "$work/out" "this backend has no machine code" && holds "$work/out" "^ert: nothing could"
}

# A stand-in for ncu: the launches and regions of the H200's first two compute ceilings.
stand_in() {
    mkdir "$work/bin"
    cat >"$work/bin/ncu" <<'NCU'
#!/bin/sh
[ "$1" = --query-metrics ] && exit 0
[ -n "$REFUSED" ] && { echo "==ERROR== ERR_NVGPUCTRPERM - no permission" >&2; exit 1; }
region() {
    echo "{\"ert-region\": \"$1\", \"passes\": 64, \"flops\": $2, \"bytes\": 0}"
}
row() {
    echo "\"$1\",\"1\",\"$2\",\"$3\",\"$4\""
}
region fp64-fma 2e9
region fp64-add "$ADD"
echo '"ID","Process ID","Kernel Name","sm__sass_thread_inst_executed_op_dfma_pred_on.sum",' \
    '"sm__sass_thread_inst_executed_op_dadd_pred_on.sum"' | tr -d ' ' | sed 's/ProcessID/Process ID/
    s/KernelName/Kernel Name/'
row '' '' inst inst
row 0 chains 7 7
row 1 lead 0 0
row 2 chains 1,000,000,000 0
row 3 chains 7 7
row 4 lead 0 0
row 5 chains 0 1,000,000,000
NCU
    chmod +x "$work/bin/ncu"
}

under_ncu() {
    PATH=$work/bin:$PATH "$ert" validate "$h200" --only counters --out "$work/gpu.json"
}

counts_agree() {
    ADD=1e9
    export ADD
    gives 0 quiet under_ncu && holds "$work/out" "fp64-add  *agrees  *-  *1.0000" &&
        holds "$work/out" "the kernel did not run under ncu" &&
        holds "$work/gpu.json" '"flops_ratio": *1[,}]'
}

counts_differ() {
    ADD=2e9
    export ADD
    gives 1 quiet under_ncu && holds "$work/out" "counted operations / ours 0.5, must be 0.99 to 1.01"
}

# Code that differed in an earlier run is no result of this one.
counters_alone() {
    sed 's/"code": *"agrees"/"code": "differs"/' "$xeon" >"$work/earlier.json"
    "$ert" validate "$work/earlier.json" --only counters >"$work/out" 2>&1
    holds "$work/out" '^  counters: ' && ! grep '^  code: ' "$work/out"
}

counters_refused() {
    REFUSED=1
    export REFUSED
    gives 3 quiet under_ncu && holds "$work/out" "NVreg_RestrictProfilingToAdminUsers"
}

region_line() {
    "$ert" bench triad --passes 3 --set 48KiB --threads 1 >"$work/out" &&
        holds "$work/out" '"passes": 3, .*"bytes": 147456, "flops": 12288,'
}

all_regions() {
    "$ert" bench --from "$work/fake/ceilings.json" --device fake0 >"$work/out" 2>/dev/null &&
        [ "$(grep -c ert-region "$work/out")" -gt 20 ]
}

case $(uname -m) in
x86_64)
    if grep -q __asan_init "$ert"; then
        skip "machine code of the CPU's kernels" "sanitizers put other things into the loops"
    elif command -v objdump >/dev/null; then
        check "machine code of the CPU's kernels" code_of_cpu
        check "everything else stays" keeps_the_rest
        check "into the same file" in_place
        check "machine code of ERT's kernels" ert_code_of_cpu
    else
        skip "machine code of the CPU's kernels" "no objdump"
    fi
    check "a region as JSON" region_line
    ;;
*) skip "machine code of the CPU's kernels" "not x86-64" ;;
esac
check "planted devices have no code" fake_has_no_code
check "all ceilings of a file once" all_regions
check "counters alone" counters_alone
if "$ert" list | grep -q 'no CUDA module'; then
    skip "counters through ncu" "built without CUDA"
else
    stand_in
    check "counters that agree" counts_agree
    check "counters that differ" counts_differ
    check "counters that are refused" counters_refused
fi
check "code for what is no capability" gives 2 quiet "$ert" validate --code-for 70
check "code for a GPU and a file" gives 2 quiet "$ert" validate --code-for 7.0 "$xeon"
check "code for a GPU that no build has" gives 3 quiet "$ert" validate --code-for 3.5
check "no file" gives 2 quiet "$ert" validate
check "a file that is none" gives 2 quiet "$ert" validate "$work/none.json"
check "a device that is not in the file" gives 2 quiet "$ert" validate "$xeon" --device gpu7
check "no kernel" gives 2 quiet "$ert" bench
check "an unknown kernel" gives 2 quiet "$ert" bench quad
check "a kernel and a file" gives 2 quiet "$ert" bench triad --from "$xeon"
check "no such device" gives 3 quiet "$ert" bench triad --device gpu99
check "no such path" gives 3 quiet "$ert" bench triad --path shared --device cpu
check "no such variant" answers 3 "has no variant 'mmx'" "$ert" bench triad --variant mmx
done_testing
