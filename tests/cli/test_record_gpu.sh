#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# roofline record of a program that uses a GPU, where there is none: the library of launches in a program
# with a stub of CUPTI (cupti_stub.c, cuda_stub.c), and a planted ncu, whose table is as ncu 2025.3 writes it.
command=record
. "$top_srcdir/tests/cli/roofline_fixture.sh"
"$plant" both gpu.json || exit 1 # and a CPU
here=$PWD
library=$(dirname "$roofline")/ext/record/cupti/libroofline-launches.so

stub=$top_srcdir/tests/cli
build() { ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -I"$top_srcdir" "$@"; }
build -shared -fPIC -Wl,-soname,libcupti.so.13 -o libcupti.so.13 "$stub/cupti_stub.c" &&
    build -o cuda_stub "$stub/cuda_stub.c" ./libcupti.so.13 -Wl,-rpath,"$here" -ldl || exit 1

has() { grep -q -e "$2" "$1"; }

# ---- the library alone ----
# launches WORDS...: the program's launches, a row each: kind, kernel, grid, number, nanoseconds
launches() {
    rm -f la.*
    (RFL_LAUNCHES=la CUDA_INJECTION64_PATH=$library ./cuda_stub "$@" >la.out 2>&1)
    cat la.*[0-9] 2>/dev/null | cut -f 1,4,5,8,9 | tr '\t' ' '
}
# row ROW WORDS...: the launches of a program with these words have the row
row() {
    tap_row=$1
    shift
    launches "$@" | grep -qxF "$tap_row" || { launches "$@"; return 1; }
}
bulk=_Z4bulkIdLi64EEvPT_i
check "launches of a configuration are one row" row "kernel $bulk (256, 1, 1) 100 300000" 100
check "another grid is another row" row "kernel $bulk (512, 1, 1) 100 600000" 100
check "names are C++'s" has la.*[0-9] 'void bulk<double, 64>(double\*, int)'
check "copies" row "memcpy memcpy HtoD (0, 0, 0) 1 500" 1
check "and fills" row "memset memset (0, 0, 0) 1 100" 1
check "100,000 launches are seven lines" test "$(launches 25000 | wc -l)" -eq 7
check "more than a buffer holds" row "kernel tiny (1, 1, 1) 25000 2500000" 25000
check "a context that ends" row "kernel second (8, 1, 1) 2 1600" 1 reset 1
check "what a crash leaves" row "kernel second (8, 1, 1) 3 2400" 3 wait crash
check "children have files of their own" test "$(launches 2 fork >/dev/null; ls la.*[0-9] | wc -l)" -eq 2
check "a program that replaces itself" \
    is "$(launches 2 wait exec ./cuda_stub 1 | grep -c '^kernel second')" 2
check "no file without RFL_LAUNCHES" env -u RFL_LAUNCHES CUDA_INJECTION64_PATH="$library" \
    ./cuda_stub 1
# ranged WORDS...: as launches, of the range "step" alone
ranged() {
    NVTX_INJECTION64_PATH=$library RFL_NVTX=step
    export NVTX_INJECTION64_PATH RFL_NVTX
    launches "$@"
}
check "launches of a range alone" is "$(ranged 5 push other 5 push step 2 pop 5 pop 5 | grep second)" \
    "kernel second (8, 1, 1) 2 1600"
check "of one that begins and ends anywhere" is "$(ranged 5 start step push other 3 finish 5 | grep second)" \
    "kernel second (8, 1, 1) 3 2400"
check "of ranges within each other" is "$(ranged push step push step 1 pop 1 pop 5 | grep second)" \
    "kernel second (8, 1, 1) 2 1600"
full() {
    rm -f lf.*
    (ulimit -f 0 && trap '' XFSZ && RFL_LAUNCHES=lf CUDA_INJECTION64_PATH=$library exec ./cuda_stub 1)
}
check "a full disk is said, and the program goes on" prints 'File too large' full
check "and leaves no half a file" test -z "$(ls lf.* 2>/dev/null)"

cuda=/usr/local/cuda
if [ -e "$cuda/include/cupti.h" ] || [ -e "$cuda/extras/CUPTI/include/cupti.h" ]; then
    check "records are as CUDA's cupti.h has them" build -I"$cuda/extras/CUPTI/include" \
        -I"$cuda/include" -c -o layout.o "$stub/cupti_layout.c"
else
    skip "records are as CUDA's cupti.h has them" "no cupti.h"
fi

# ---- record ----
mkdir bin
cat >bin/ncu <<'NCU'
#!/bin/sh
case $* in *--query-metrics*)
    for name in gpu__time_duration sm__cycles_elapsed dram__bytes_read dram__bytes_write; do
        echo "$name   Counter  x"
    done
    exit 0 ;;
esac
echo "$*" >ncu.words
while :; do
    case $1 in
    --log-file) file=$2; shift 2 ;;
    --csv|--nvtx) shift ;;
    --*) shift 2 ;;
    *) break ;;
    esac
done
case $NCU in
forbidden) echo "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU \
Performance Counters on the target device 0." >"$file" ;;
*) awk '/^"ID"/ { $0 = $0 ",\"device__attribute_l2_cache_size\"" } /^"",/ { $0 = $0 ",\"\"" }
        /^"[0-9]/ { $0 = $0 ",\"2,000\"" } { print }' \
        "$top_srcdir/tests/data/ncu/planted.csv" >"$file" ;;
esac
# A second launch of each grid and block finds its data in L2.
case $(cat ncu.words) in *"--replay-mode application"*)
    sed -n 's/"3,200","1600","1600"/"0","0","0"/; /^"[0-9]/p' "$file" >second
    cat second >>"$file" ;;
esac
case $NCU in named | unlike)
    awk -v other="$([ "$NCU" = unlike ] && echo "NVIDIA Other" || echo "NVIDIA Planted")" '
        /^"ID"/ { $0 = $0 ",\"device__attribute_display_name\"" }
        /^"",/ { $0 = $0 ",\"\"" }
        /^"[0-9]/ { $0 = $0 ",\"" (n++ ? other : "NVIDIA Planted") "\"" } { print }' "$file" >"$file.new" &&
        mv "$file.new" "$file" ;;
esac
[ "$NCU" = half ] && sed -i '/(512, 1, 1)/d' "$file"
exec "$@"
NCU
chmod +x bin/ncu
PATH=$here/bin:$PATH
# record DIR WORDS...: its own messages in DIR.err
record() {
    dir=$1
    shift
    "$roofline" record --out "$dir" --ceilings gpu.json "$@" 2>"$dir.err"
}
# value FILE KERNEL KEY: of a point
value() {
    awk -v name="\"name\": \"$2\"" -v key="\"$3\":" '
        index($0, "\"name\": ") { here = index($0, name) }
        here && (i = index($0, key)) {
            text = substr($0, i + length(key))
            gsub(/[ ,]/, "", text)
            print text
            exit
        }
    ' "$1"
}

# level FILE KERNEL LEVEL: its bytes
level() {
    awk -v name="\"name\": \"$2\"" -v level="\"level\": \"$3\"" '
        index($0, "\"name\": ") { here = index($0, name) }
        here && index($0, level) { found = 1 }
        found && /"count":/ { gsub(/[^0-9.e+-]/, "", $2); print $2; exit }
    ' "$1"
}

check "the program's output is its own" is \
    "$(record all --top 2 --replay kernel -- ./cuda_stub 100)" "the program's own words"
p=all/points.json
check "a kernel's launches are all of them" is "$(value $p 'bulk<double, 64>' launches)" 200
check "its time is that of the run without ncu" prints 0.0009 value $p 'bulk<double, 64>' time_s
# 100 x (1000 + 2 x 4000) + 100 x (2000 + 2 x 8000)
check "counts of a launch are those of its configuration" is "$(value $p 'bulk<double, 64>' count)" 2700000
# (300 us x 1.5 GHz + 600 us x 1 GHz) / 900 us
check "clocks are means by time" prints 1166666666 value $p 'bulk<double, 64>' clock_hz
check "the rest has its time" is "$(value $p 'other kernels (1)' launches)" 100
check "copies have theirs" is "$(value $p 'memcpy HtoD' launches)" 1
check "the GPU's time is all of it" has $p '"busy_s": *0.00099'
check "what was counted is said" has all.err 'ncu counted 2 of 3 kernels.* 99.0 % of the GPU.s time'
cat >marked <<'MARKED'
#!/bin/sh
printf 'rfl_region\tbulk<double, 64>\t1\t1\t0\t3\t2500000\t7e9\t7e9\t1\t2\n' >"$RFL_REGIONS.$$"
exec ./cuda_stub 100
MARKED
chmod +x marked
record marked.dir --top 2 --replay kernel -- ./marked >marked.out
check "a region of the host gives no kernel its time" \
    is "$(value marked.dir/points.json 'bulk<double, 64>' time_s)" "$(value $p 'bulk<double, 64>' time_s)"
check "and its file stays" has marked.dir/regions.tsv 'bulk<double, 64>.1.1.0.3.2500000'
check "ncu's errors are shown" has all.err 'ncu: *LaunchFailed'
check "ncu is asked for these kernels" prints "--kernel-name regex:^(${bulk}|second)\$" cat ncu.words
check "for what this GPU has" lacks lts__t_sectors_srcunit_tex_op_read cat ncu.words
check "one launch of each" has ncu.words '--filter-mode per-launch-config --launch-count 1 '
check "at the clock that it has" has ncu.words '--clock-control none'
check "with empty caches" has ncu.words '--cache-control all'
check "which it says" has all.err 'of them, with empty caches'
check "what L2 might have kept is said" \
    has all.err '38.4 % of that time read no more than L2 holds.*--replay application'
check "of the kernels as well" has $p 'its HBM bytes are those of empty caches'
check "and their HBM is perhaps none" has $p '"emptied_caches": '
check "HBM bytes of empty caches" is "$(level $p 'bulk<double, 64>' HBM)" 960000
record both -- ./cuda_stub 100 >/dev/null
check "without an order these are counted again" has both.err 'L2 may hold .* 38 % of their time'
check "as the program leaves the caches" has ncu.words '--replay-mode application --cache-control none'
check "of them alone, not of the third" \
    prints "--kernel-name regex:^(${bulk}|second)\$" cat ncu.words
check "and these bytes count" is "$(level both/points.json 'bulk<double, 64>' HBM)" 640000
check "with nothing said of empty caches" lacks 'its HBM bytes are those of empty' cat both/points.json
check "a few kernels of little time are counted, too" has both.err 'ncu counted 3 of 3 kernels'
check "the whole program again" record warm --replay application -- ./cuda_stub 100
check "is what ncu repeats" has ncu.words '--replay-mode application --cache-control none'
check "two launches of each grid and block" has ncu.words '--filter-mode per-launch-config --launch-count 2 '
w=warm/points.json
check "of which the second counts" is "$(level $w 'bulk<double, 64>' HBM)" 640000
check "for all" is "$(value $w 'bulk<double, 64>' count)" 2700000
check "nothing is said of empty caches" lacks 'empty caches' cat warm.err $w
check "but of those that there were" has warm.err 'with caches as the program leaves them'
record warmer --replay application --launches 4 -- ./cuda_stub 100 >/dev/null
check "as many as are asked for, behind the first" has ncu.words '--launch-count 5 '
check "launches that are alike are no sample" lacks 'differ in time' cat all.err $p
record unlike -- ./cuda_stub 3 unlike >unlike.out
check "launches of a grid that differ are a sample, and it is said" has unlike/points.json \
    'differ in time by up to 87 % (standard deviation), and 1 stood for all'
record two --top 2 -- ./cuda_stub 3 other >two.out
# rows KERNEL: device and launches of each of its rows
rows() { grep -e '"name":' -e '"run":' -e '"launches":' two/points.json | tr -d ' ,"' |
    awk -F: -v name="$1" '/^name/ { here = $2 == name } here && !/^name/ { printf "%s ", $2 }'; }
check "two GPUs: a row of each" is "$(rows second)" "device0 3 device1 1 "
check "which it says" has two.err '2 GPUs: a kernel has a row for each'
check "counts of a launch are those of either" is "60 20 " \
    "$(awk '/"name": "second"/ { here = 1 } here && /"count":/ { print $2 + 0; here = 0 }' two/points.json |
        tr '\n' ' ')"
check "ncu is asked for a kernel once" prints "--kernel-name regex:^(${bulk}|second)\$" cat ncu.words
if command -v python3 >/dev/null; then
    # The same roofs twice, of another GPU first.
    python3 - <<'PYTHON' || exit 1
import copy, json
ceilings = json.load(open("gpu.json"))
for devices in ceilings["devices"], ceilings["machine"]["devices"]:
    own = next(d for d in devices if d["id"] == "gpu0")
    other = copy.deepcopy(own)
    other["id"], other["name"] = "gpu1", "NVIDIA Planted"
    devices.append(other)
json.dump(ceilings, open("gpus.json", "w"))
PYTHON
    NCU=named "$roofline" record --out named --ceilings gpus.json -- ./cuda_stub 3 >named.out 2>named.err
    check "the roofs are those of the GPU that ran" has named.err 'gpu1'
    check "and where it is placed" prints 'gpu1' "$roofline" place gpus.json named/points.json
    NCU=unlike "$roofline" record --out unlike2 --ceilings gpus.json -- ./cuda_stub 3 >named.out 2>named.err
    check "unlike GPUs are said" has named.err 'warning: the profile is from several kinds of GPU'
fi
record top --replay kernel --top 1 --launches 3 --nvtx step -- ./cuda_stub 7 push step 100 pop >top.out
check "times of a range" is "$(value top/points.json 'bulk<double, 64>' launches)" 200
check "the longest alone" prints "regex:^(${bulk})\$" cat ncu.words
check "three launches" has ncu.words '--launch-count 3 '
check "of a range" has ncu.words '--nvtx --nvtx-include step/ --nvtx-include step'
record one --replay kernel --kernel second -- ./cuda_stub 100 >one.out
check "one kernel" has ncu.words 'regex:^(second)\$'
check "no kernel of the name" answers 2 "no kernel has 'x' in its name" \
    "$roofline" record --with ncu --out none --ceilings gpu.json --kernel x -- ./cuda_stub 1
NCU=half record half -- ./cuda_stub 100 >half.out
# 900 us / 300 us x 100 x 9000
check "a grid that was not profiled: at the others' rate" is \
    "$(value half/points.json 'bulk<double, 64>' count)" 2700000
check "and it is said" has half/points.json 'of 66.7 % of its time grid or block were not profiled'

NCU=forbidden record forbidden -- ./cuda_stub 100 >forbidden.out
check "counters that are forbidden" has forbidden.err 'NVreg_RestrictProfilingToAdminUsers=0'
check "times are kept" prints 0.0009 value forbidden/points.json 'bulk<double, 64>' time_s
check "and are under the GPU's roofs" has forbidden.err '^bulk .* 900 us .* 200 '
NCU=forbidden record forbidden -- ./marked >marked.out
check "no region of the host gives them its time" prints 0.0009 \
    value forbidden/points.json 'bulk<double, 64>' time_s
printf '#!/bin/sh\n# libcuda.so.1\nexec ./cuda_stub "$@"\n' >linked
chmod +x linked
record once --once -- ./linked 100 >once.out
check "once: a program that names libcuda is for ncu" has once/points.json '"format": "ncu"'
check "times are those of what was profiled, and it is said" \
    has once.err 'not all of the program.s: without --once'
check "a range without a launch" answers 2 "no launch was seen in a range 'none'" \
    "$roofline" record --with ncu --out none --ceilings gpu.json --nvtx none -- ./cuda_stub 1
check "a program without a GPU" record cpu -- true
check "is recorded without it" lacks 'roofline: ncu' cat cpu.err
check "is not for ncu" answers 3 'used no NVIDIA GPU' \
    "$roofline" record --with ncu --out none --ceilings gpu.json -- true
check "an interrupted program is not run again" answers 143 'not run again under ncu' \
    "$roofline" record --out ended --ceilings gpu.json -- ./cuda_stub 100 end
check "its launches are kept" is "$(value ended/points.json 'bulk<double, 64>' launches)" 200
record all -- ./cuda_stub 1 >again.out
check "an earlier recording's launches are gone" is "$(value $p 'bulk<double, 64>' launches)" 2
PATH=${PATH#"$here/bin:"}
check "without ncu" answers 3 'there is no ncu' "$roofline" record --with ncu --out none -- true
done_testing
