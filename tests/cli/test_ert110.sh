#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ert run with LBNL ERT's own configurations, and --ert-compatible: what a site with a history types. On
# the planted machine; the way there and back through ERT's roofline.json.
. "$top_srcdir/tests/tap.sh"
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    echo "1..0 # SKIP no Python 3.9"
    exit 0
fi
ert=$top_builddir/ert/ert
roofline=$top_builddir/analysis/roofline
data=$top_srcdir/tests/data/ert
work=$(mktemp -d "${TMPDIR:-/tmp}/ert-compatible-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

dry() {
    "$ert" run --device fake --dry-run "$@"
}

study() {
    sh "$top_srcdir/tests/tools/study.sh" "$@"
}
converts() {
    study ert-config "$data/config.$1" --out "$1.json"
}

check "a CPU config of ERT becomes a preset" converts cpu
check "which is planned" prints "ert_fp64" dry --config cpu.json
check "its products of processes and threads" prints "plain, 8 threads" dry --config cpu.json
check "what does not apply is said" prints "not applied: ERT_RESULTS" dry --config cpu.json
check "on stderr" lacks 'not applied' sh -c '"$@" 2>/dev/null' sh \
    "$ert" run --device fake --dry-run --config cpu.json
check "a GPU config, too" converts gpu
check "which is planned" prints "64 x 128" dry --config gpu.json
printf 'ERT_FLOPS 1,2\nERT_MEMORY_MAX lots\n' >bad
check "a bad line is refused" answers 2 "bad: line 2: ERT_MEMORY_MAX: 'lots'" study ert-config bad
printf 'ERT_RESULTS x\nERT_SYCL True\n' >sycl
check "SYCL is not available here" answers 3 'ERT_SYCL: True' study ert-config sycl
check "two files" answers 2 'give one file' study ert-config sycl bad
check "ert itself does not read one" \
    answers 2 "config.cpu: a configuration of LBNL's ERT: \`python3 -m roofline ert-config" \
    dry --config "$data/config.cpu"
check "the preset is the option" sh -c "'$ert' run --device fake --dry-run --ert-compatible >a &&
    '$ert' run --device fake --dry-run --config '$top_srcdir/configs/ert-1.1.0.json' >b && cmp a b"
check "--quick beside it is refused" gives 2 dry --quick --ert-compatible

check "the planted GPU is measured" "$ert" run --device fake1 --config gpu.json --out gpu
check "the file says which way" grep -q '"mode":.*"ert-1.1.0 compatible"' gpu/ceilings.json
check "and keeps what did not apply" grep -q 'not applied: .*ERT_GPU_CFLAGS' gpu/ceilings.json
check "levels have ERT's names" prints "DRAM" "$ert" show gpu/ceilings.json
check "verify measures them again" prints " 0 slower, 0 faster" "$ert" verify gpu/ceilings.json
check "and sees a slower clock" gives 1 env ERT_FAKE=fault=clock "$ert" verify gpu/ceilings.json
check "bench leaves its kernels to it" answers 2 "a mode's kernel" "$ert" bench ert_fp64 --device fake1
check "the fit can be done again" "$ert" fit gpu/samples.json --out again.json
check "with the same result" sh -c "'$roofline' compare gpu/ceilings.json again.json | grep -q '4 same'"

# number NAME: a ceiling of the planted GPU in 1e9/s.
number() {
    study export csv gpu/ceilings.json |
        awk -F, -v name="$1" '$3 == name { printf "%.2f", $9 / 1e9 }'
}
cat >result.json <<JSON
{"empirical": {"gbytes": {"data": [["L1", $(number L1-update)], ["DRAM", $(number DRAM-update)]]},
               "gflops": {"data": [["GFLOPs", $(number fp64-fma)]]},
               "metadata": {"CONFIG": {"ERT_GPU": ["True"]}}}}
JSON
check "ERT's file becomes ceilings" study ert-ceilings result.json --out roofline.json
check "ERT's file is compared with ours" prints "fp64-fma" \
    "$roofline" compare roofline.json gpu/ceilings.json --margin 0.001
check "what came from it is the same" sh -c "'$roofline' compare roofline.json gpu/ceilings.json \
    --margin 0.001 --only fp64-fma | grep -q ' 1.0000 '"
check "which levels are comparable is said" prints "both have ERT's labels" \
    "$roofline" compare roofline.json gpu/ceilings.json
check "a published one, too" study ert-ceilings "$data/roofline-k20x.json" --out k20x.json
check "beside ordinary ceilings" prints "those of the topology" \
    "$roofline" compare k20x.json "$top_srcdir/results/h200/ceilings.json"
check "a gate works on an old result" gives 1 \
    "$roofline" compare gpu/ceilings.json k20x.json --fail-below 0.9
done_testing
