#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ert info: real machines from topology files, this machine, and bad words and files.
. "$top_srcdir/tests/tap.sh"
ert=$top_builddir/ert/ert
unset HWLOC_XMLFILE HWLOC_SYNTHETIC
own=$top_srcdir/tests/data/topologies
# More real machines stand beside the checkout where it is developed.
shared=$top_srcdir/../shared/data/topologies

place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT

# of FILE [OPTION...]: info on a machine that an hwloc file describes.
of() {
    xml=$1
    shift
    HWLOC_XMLFILE=$xml "$ert" info --device cpu "$@"
}

# says FILE WORDS...: info on the file succeeds, and each of the words stands in its output, with
# runs of blanks as one.
says() {
    text=$(of "$1") || return 1
    text=$(echo "$text" | tr -s ' ')
    shift
    for words; do
        case $text in
        *"$words"*) ;;
        *)
            echo "'$words' is not in: $text"
            return 1
            ;;
        esac
    done
}

# one_error WORDS COMMAND...: exit code 2, nothing on stdout, one line with the words on stderr.
one_error() {
    words=$1
    shift
    gives 2 "$@" >"$place/out" 2>"$place/err" || return 1
    cat "$place/err"
    [ ! -s "$place/out" ] && [ "$(wc -l <"$place/err")" -eq 1 ] && grep -qF -e "$words" "$place/err"
}

# Lines over 100 columns of info on a file; names and addresses come as long as they are.
wide() {
    of "$1" | awk 'length > 100'
}

check "Cascade Lake" says "$own/cascadelake-6230-2s.xml" "n_packages 2" "n_cores 40" "n_pus 80" \
    "L1 cache 32 KiB 40" "L2 cache 1 MiB 40" "L3 cache 27.5 MiB 2" "kind DRAM" \
    "fp64-fma base 2.688 TFLOP/s 40 cores x 2 units x 8 lanes x 2 flop x 2.100 GHz"
check "memory kinds" says "$own/hetero-memory.xml" "n_cores 16" "n_pus 64" \
    "kind DRAM, size_bytes 1 GiB" "os_index 7, kind HBM, size_bytes 2 GiB, n_cores 4" "HBM memory 2 GiB 4" \
    "DRAM memory 1 GiB 4"
check "KNL" says "$own/knl-7210.xml" "n_cores 64" "n_pus 256" \
    "L1 cache 32 KiB 64" "L2 cache 1 MiB 32" "base_hz 1.300 GHz" "DRAM memory"
check "DGX-2" says "$own/dgx2-v100.xml" "n_cores 4" "n_pus 4" "L3 cache 33 MiB 2"

# stated TOPOLOGY SPEC WORDS
stated() {
    of "$1" --dram-bandwidth "$2" | tr -s ' ' >"$place/out"
    cat "$place/out"
    grep -qF -e "$3" "$place/out"
}

check "DRAM's theory as the user states it" stated "$own/cascadelake-6230-2s.xml" 12xDDR4-2933 \
    " DRAM memory 281.6 GB/s as stated: 12 channels x 8 B x 2933 MT/s [2]"
check "a wrong theory of DRAM" one_error "--dram-bandwidth: 'DDR4-2933': must be" \
    "$ert" info --dram-bandwidth DDR4-2933

if [ -d "$shared" ]; then
    check "EPYC" says "$shared/epyc-9654-2s.xml" "n_packages 2" "n_cores 192" "n_pus 384" \
        "L1 cache 32 KiB 192" "L2 cache 1 MiB 192" "L3 cache 32 MiB 24" "kind DRAM" \
        "fp64-fma - 3072 flop/clock" "fp64-fmaadd - 4608 flop/clock" "clock is known"
    check "Xeon Max" says "$shared/xeon-max-9460-2s.xml" "n_cores 80" "n_pus 160" \
        "L1 cache 48 KiB 80" "L2 cache 2 MiB 80" "L3 cache 97.5 MiB 2" "kind DRAM"
    for file in "$shared"/*.xml; do
        check "$(basename "$file") fits 100 columns" empty wide "$file"
        check "$(basename "$file") as JSON" quiet of "$file" --json
    done
else
    skip "EPYC, Xeon Max" "no ../shared/data/topologies beside the checkout"
fi

check "a bad HWLOC_XMLFILE is an error" one_error "/nonexistent.xml" env \
    HWLOC_XMLFILE=/nonexistent.xml "$ert" info

check "this machine" prints "fp64-fma" "$ert" info
check "this machine's CPU as JSON" prints '"topology_source":' "$ert" info --device cpu --json
check "a bad device" one_error "'gpx', must be cpu, gpu, gpuN or all" "$ert" info --device gpx
check "a bad option" one_error "--devise" "$ert" info --devise x
check "an unwanted word" one_error "'x'" "$ert" info x

: >"$place/empty.xml"
echo "no XML at all" >"$place/text.xml"
echo '{"schema": "ert-ceilings/4"}' >"$place/ceilings.json"
head -c 20000 "$own/hetero-memory.xml" >"$place/cut.xml"
for name in empty.xml text.xml ceilings.json cut.xml missing.xml; do
    check "$name gives one error" one_error "topology file $place/$name" \
        of "$place/$name"
done
check "a folder gives one error" one_error "hwloc cannot read it" of "$place"
done_testing
