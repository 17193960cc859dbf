#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# quickstart on machines that are not this one: programs stand in for what may be missing. Nothing
# is installed and nothing is built here.
. "$top_srcdir/tests/tap.sh"

place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
tree="$place/a tree" # the path has a blank on purpose
bin=$place/bin

# A new tree and a PATH that holds only what every system has.
fresh() {
    rm -rf "$tree" "$bin"
    mkdir -p "$tree/build-aux" "$bin"
    cp "$top_srcdir/quickstart" "$tree/quickstart"
    for program in sh env dirname mkdir rm tail sed awk grep cat sort; do
        ln -s "$(command -v $program)" "$bin/$program"
    done
    stub id 'echo 1000'
    stub uname 'echo x86_64'
    stub true 'exit 0' # a builtin of shells, but sudo needs a file
}

# stub NAME BODY: a program of this name whose body is this shell text.
stub() {
    printf '#!%s\n%s\n' "$(command -v sh)" "$2" >"$bin/$1"
    chmod +x "$bin/$1"
}

# Everything that quickstart looks for is there; the tree is prepared and configured.
complete() {
    fresh
    for program in autoconf automake autoreconf gcc pkg-config git mandoc zsh fish mkdocs rpm mpicc \
        luac promtool abidiff dh_bash-completion python3 strace jq mypy cmake; do
        stub $program 'exit 0'
    done
    stub apt-get 'echo apt-get was called >&2; exit 99'
    stub make 'exit 0'
    mkdir "$tree/build"
    : >"$tree/configure"
    chmod +x "$tree/configure"
    : >"$tree/Makefile.in"
    : >"$tree/build-aux/tap-driver.sh"
    : >"$tree/build/Makefile"
}

quick() {
    (cd / && PATH=$bin CI=true "$tree/quickstart" "$@" <&-)
}

# last_line WORDS COMMAND...: the last line of standard output is exactly this.
last_line() {
    wanted=$1
    shift
    got=$("$@" 2>/dev/null | tail -n 1)
    [ "$got" = "$wanted" ] && return
    echo "the last line is '$got', expected '$wanted'"
    return 1
}

fresh
check "another system ends with 3" gives 3 quick check
check "another system is told the packages" answers 3 "missing here: autoconf automake make gcc" \
    quick check

fresh
stub apt-get 'exit 0'
check "Debian without rights ends with 3" gives 3 quick check
check "Debian without rights is told one command" last_line "apt-get update && apt-get install -y \
autoconf automake make gcc pkg-config libc6-dev libhwloc-dev libcjson-dev libcmocka-dev libcairo2-dev \
valgrind libblis4-pthread python3-venv git strace jq mypy cmake mandoc zsh fish mkdocs rpm \
libopenmpi-dev lua5.4 prometheus abigail-tools bash-completion" \
    quick check
check "a first result takes fewer" last_line "apt-get update && apt-get install -y \
autoconf automake make gcc pkg-config libc6-dev libhwloc-dev libcjson-dev valgrind" quick
stub uname 'echo aarch64'
check "Valgrind's tool is for x86-64" last_line "apt-get update && apt-get install -y \
autoconf automake make gcc pkg-config libc6-dev libhwloc-dev libcjson-dev libcmocka-dev libcairo2-dev \
libblis4-pthread python3-venv git strace jq mypy cmake mandoc zsh fish mkdocs rpm \
libopenmpi-dev lua5.4 prometheus abigail-tools bash-completion" quick check

complete
stub pkg-config '[ "$2" != cmocka ]'
stub sudo 'exit 1'
check "only what is missing is named" \
    last_line "sudo apt-get update && sudo apt-get install -y libcmocka-dev" quick check

complete
rm "$bin/git"
stub id 'echo 0'
stub apt-get 'exit 100'
check "an apt-get that fails ends with 3" gives 3 quick check
check "an apt-get that fails is said" answers 3 "apt-get failed (see build/quickstart.log)" quick check

complete
rm "$bin/git"
stub sudo 'shift; exec "$@"'
stub apt-get "[ \"\$1\" = update ] || { echo \"\$*\" >$place/installed; exit 1; }"
check "sudo without a password is used" gives 3 quick check
check "only what is missing is installed" \
    prints "install -y --no-install-recommends git" cat "$place/installed"

complete
stub make 'echo broken source >&2; exit 2'
check "a build that fails ends with 1" gives 1 quick
check "a build that fails shows its output" answers 1 "broken source" quick
check "a build that fails names the log" answers 1 "build/quickstart.log" quick

# What is built for: configure leaves its options.
unconfigured() {
    complete
    stub hostname 'echo node7'
    mkdir -p "$tree/build/ert" "$tree/ert/ext/cuda"
    printf '#!/bin/sh\necho measured\n' >"$tree/build/ert/ert"
    chmod +x "$tree/build/ert/ert"
    printf '#!/bin/sh\n: >Makefile; echo "$@" >>options\n' >"$tree/configure"
    echo 'exit 0' >"$tree/ert/ext/cuda/toolchain.sh"
    rm "$tree/build/Makefile"
    stub nvcc 'exit 0'
}
options() {
    cat "$tree/build/options"
}

unconfigured
if [ -e /dev/nvidia0 ]; then
    skip "no GPU: no CUDA code" "a GPU is here"
    skip "and configure knows it" "a GPU is here"
else
    check "no GPU: no CUDA code" prints "no GPU here: no CUDA code is built (./quickstart check" quick
    check "and configure knows it" prints "--without-cuda" options
    check "but for tests" gives 0 quick check
    check "code for one architecture" prints "--with-cuda-arch=90" options
fi
unconfigured
stub nvidia-smi 'echo 9.0; echo 8.6; echo 9.0'
check "CUDA code for the GPUs that are here" prints measured quick
check "each kind once" prints "--with-cuda-arch=86 90" options
check "a second call" prints measured quick
check "configures nothing" test "$(options | grep -c .)" -eq 1
check "the tests have flags of their own" gives 0 quick check
check "so that configure is asked again" prints "--with-cuda-arch=86 90" \
    sh -c "sed -n 2p '$tree/build/options'"
check "a call after that" prints measured quick
check "leaves what is there for more" test "$(options | grep -c '')" -eq 2
check "all tests want code for all GPUs" gives 0 quick check-all
check "so that configure is asked once more" test "$(options | grep -c '^$')" -eq 1
check "the tests after that" gives 0 quick check
check "take what is there" test "$(options | grep -c '')" -eq 3
unconfigured
: >"$tree/build/Makefile"
echo none >"$tree/build/quickstart.cuda"
stub id 'echo 0'
stub pkg-config "[ -e '$place/there' ] || [ \"\$2\" != cmocka ]"
stub apt-get ": >'$place/there'"
stub make "echo \"\$*\" >>'$place/made'"
quick check >/dev/null 2>&1 || : # no log of tests is there
check "a new package: configured again" test "$(options | grep -c '')" -eq 1
check "without an object of the build before" grep -q clean "$place/made"
unconfigured
stub nvidia-smi 'echo 99.0'
echo 'exit 1' >"$tree/ert/ext/cuda/toolchain.sh"
check "a GPU that nvcc does not know: all that it knows" prints measured quick
check "without a choice" test -z "$(options)"
unconfigured
rm "$bin/nvcc"
stub nvidia-smi 'echo 9.0'
if PATH=/usr/local/cuda/bin:/opt/cuda/bin command -v nvcc >/dev/null; then
    skip "a GPU without nvcc" "nvcc is here"
else
    check "a GPU without nvcc" prints "a GPU, but no nvcc to build for it" quick
fi

# A make that leaves automake's totals; the numbers are all different, so that none is mixed up.
testing_make() {
    complete
    stub make "case \" \$* \" in *' check '*) ;; *) exit 0 ;; esac
printf '# TOTAL: 63\n# PASS:  32\n# SKIP:  16\n# XFAIL: 8\n# FAIL:  4\n# XPASS: 2\n# ERROR: 1\n' \
>'$tree/build/test-suite.log'; echo 'SKIP: gpu.sh no device'; echo 'FAIL: unit 3 - x'; exit $1"
}

testing_make 2
check "the totals are the last line" last_line "40 passed, 7 failed, 16 skipped" quick check
check "the exit code is make's" gives 2 quick check
check "a failed row is shown" answers 2 "FAIL: unit 3 - x" quick check
testing_make 0
check "nothing missing: passes, and no apt-get" gives 0 quick check
check "a skipped row is shown with its reason" prints "SKIP: gpu.sh no device" quick check

complete
stub make "case \" \$* \" in *' check '*) exit 2 ;; esac"
echo "# PASS: 5" >"$tree/build/test-suite.log"
check "tests that cannot be built have not passed" \
    last_line "0 passed, 1 failed, 0 skipped" quick check
check "a word after check is a usage error" gives 2 quick check now

complete
stub hostname 'echo node7'
mkdir "$tree/build/ert"
printf '#!/bin/sh\necho "$#: $*"; pwd\n' >"$tree/build/ert/ert"
chmod +x "$tree/build/ert/ert"
check "options go on to ert run" prints "5: run --out $tree/results/node7 --config a b.json" \
    quick --config "a b.json"
check "what it measures is no change of the source" grep -qx '\*' "$tree/results/node7/.gitignore"
check "files are seen from where the user stands" last_line / quick
rm "$bin/hostname"
stub uname 'echo node8'
check "a system without hostname has uname" prints "/results/node8" quick

# What record looks for beside it at run time is built by the target of quickstart, too.
quick_builds() {
    MAKEFLAGS= make -C "$top_builddir" -pn quick 2>/dev/null | grep '^quick:' >"$place/quick"
    for file in $(sed -n 's/.*rfl_record_shipped(record, "\([a-z]*\)", "\([^"]*\)").*/\1\/\2/p' \
        "$top_srcdir"/analysis/ext/record/*.c); do
        case $file in
        valgrind/*) [ -e "$top_builddir/analysis/ext/record/valgrind/roofline-amd64-linux" ] || continue ;;
        esac
        grep -q "$file" "$place/quick" || echo "$file is not built by: make quick"
    done
}
check "make quick builds what record looks for" empty quick_builds

# Continuous integration: two of its commands, whose rows are all different.
fresh
mkdir "$tree/.ci"
cp "$top_srcdir/.ci/run" "$tree/.ci/run"
cat >"$tree/quickstart" <<'SCRIPT'
#!/bin/sh
case $1 in
check) echo "40 passed, 7 failed, 16 skipped" && exit 2 ;;
check-slow) echo "3 passed, 0 failed, 1 skipped" ;;
esac
SCRIPT
check "CI: the totals of both are the last line" last_line "43 passed, 7 failed, 17 skipped" "$tree/.ci/run"
check "CI: the exit code of the first that failed" gives 2 "$tree/.ci/run"
printf '#!/bin/sh\necho "apt-get install -y x"\nexit 3\n' >"$tree/quickstart"
check "CI: what must be installed first is the last line" last_line "apt-get install -y x" "$tree/.ci/run"
check "CI: and the exit code says so" gives 3 "$tree/.ci/run"
done_testing
