#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The Valgrind tool against known.c. SOURCE: the source tree; TOOL: a build's analysis/ext/record/valgrind.
cd "$(dirname "$0")" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build() {
    gcc -std=gnu11 -no-pie -DRFL_REGION_NO_NVTX -I"$SOURCE/analysis/ext/region" -o "$work/known" known.c "$@"
}
counts() {
    RFL_REGIONS=$work/times VALGRIND_LIB=$TOOL valgrind -q --tool=roofline --out-file="$work/counts" \
        "$work/known" "$@"
}

# The flops of the program's own instructions: how often callgrind saw each, times the elements of its
# registers, by objdump. Neither is ours.
executed() {
    RFL_REGIONS=$work/times valgrind -q --tool=callgrind --dump-instr=yes --compress-pos=no \
        --compress-strings=no --callgrind-out-file="$work/callgrind" "$work/known" "$@"
    objdump -d --no-show-raw-insn "$work/known" | awk '
        FNR == NR {
            name = $2
            sub(/^v/, "", name)
            n = name ~ /^(add|sub|mul)[sp][sd]$/ ? 1 : name ~ /^fn?m(add|sub)[0-9]*[sp][sd]$/ ? 2 : 0
            n *= name ~ /ps$/ ? 4 : name ~ /pd$/ ? 2 : 1
            flops["0x" substr($1, 1, length($1) - 1)] = name ~ /p[sd]$/ && /ymm/ ? 2 * n : n
            next
        }
        /^ob=/ { is_own = /known$/ }
        is_own && /^0x/ && !is_call { sum += flops[$1] * $3 }
        { is_call = /^calls=/ } # then a line has what the function did
        END { printf "%d", sum }' - "$work/callgrind"
}

echo "flops counted / of the algorithm, widths, FMA among them; bytes loaded + stored"
for real in double float; do
    for flags in "-O2 -fno-tree-vectorize" "-O3 -msse2" "-O3 -mavx2" "-O3 -mavx2 -mfma"; do
        build $flags -DREAL=$real -ffp-contract="$(case $flags in *fma) echo fast ;; *) echo off ;; esac)"
        counts 100003 3 61 101
        echo "$real $flags whole run $(awk -F'\t' '
            $1 == "region" { for (i = 1; i <= NF; i++) name[i] = $i; next }
            $1 == "whole run" { for (i = 3; i <= NF; i++) sum += name[i] ~ /^fp.._flops/ ? $i : 0 }
            END { printf "%d", sum }' "$work/counts") / executed $(executed 100003 3 61 101)"
        awk -F'\t' -v what="$real $flags" '
            FNR == NR { flops[$1] = $5; next }
            /^#/ { next }
            $1 == "region" { for (i = 1; i <= NF; i++) name[i] = $i; n = NF; next }
            $1 != "whole run" {
                sum = fma = 0
                widths = ""
                for (i = 1; i <= n; i++) {
                    if (name[i] ~ /_fma_flops/)
                        fma += $i
                    else if (name[i] ~ /^fp.._flops/ && $i > 0) {
                        sum += $i
                        widths = widths " " substr(name[i], 12) ":" $i
                    }
                }
                printf "%s %s %d / %d,%s; FMA %d; %d + %d\n", what, $1, sum, flops[$1], widths, fma, $6, $7
            }' "$work/times" "$work/counts"
    done
done

echo "bytes per level, read + written, in arrays of one pass; elements, passes"
build -O3 -mavx2 -ffp-contract=off
for row in "10007 20" "200003 5" "8000009 2"; do
    counts $row 11 11
    awk -F'\t' -v row="$row" '
        /^#/ { next }
        $1 == "region" { for (i = 1; i <= NF; i++) at[$i] = i; next }
        BEGIN { split(row, r, " "); unit = 8 * r[1] * r[2] }
        function pair(a, b) { return sprintf("%.4f + %.4f", $at[a] / unit, $at[b] / unit) }
        $1 ~ /copy|scale|add|triad/ {
            print row, $1, "L1", pair("load_bytes", "store_bytes"), "L2", pair("L2_read", "L2_written"), "L3",
                pair("L3_read", "L3_written"), "DRAM", pair("DRAM_read", "DRAM_written")
        }' "$work/counts"
done

# User time in seconds, the least of three runs: alone, under Valgrind's none, cachegrind, and our tool.
least() {
    for i in 1 2 3; do
        bash -c 'TIMEFORMAT=%U; { time "$@" >/dev/null 2>&1; } 2>&1' least "$@"
    done | sort -g | head -n 1
}
echo "user time: alone, none, cachegrind, roofline"
for contract in off fast; do
    build -O3 -mavx2 -mfma -ffp-contract=$contract
    for row in "stream-L1 1003 60000 3 1" "stream-DRAM 8000009 8 3 1" "stencil 10 10 201 1" \
        "gemm 10 1 3 401"; do
        set -- $row
        name=$1
        shift
        alone=$(least "$work/known" "$@")
        none=$(least valgrind --tool=none "$work/known" "$@")
        cachegrind=$(least valgrind --tool=cachegrind --cachegrind-out-file=/dev/null "$work/known" "$@")
        ours=$(VALGRIND_LIB=$TOOL least valgrind --tool=roofline --out-file="$work/counts" "$work/known" "$@")
        echo "FMA $contract, $name: $alone $none $cachegrind $ours"
    done
done
