#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Surroundings that take something away: the cores of this machine are measured with it missing, and what is
# missing is said. Neither /proc nor /sys at once is in tests/cli/test_faults.sh.
. "$top_srcdir/tests/tap.sh"
ert=$top_builddir/ert/ert
work=$(mktemp -d "${TMPDIR:-/tmp}/ert-surroundings-XXXXXX")
group=
trap 'rm -rf "$work"; [ -z "$group" ] || rmdir "$group"' EXIT
printf '%s' '{"schema": "ert-config/2", "device": "cpu", "kernels": ["load", "fma_fp64"], "rounds": 1,
 "working_set_max_bytes": 1048576, "region_s": 0.0001, "leader_rounds": 1, "points_per_octave": 1,
 "budget_s": 1.5}' >"$work/small.json"

# in_namespace SETUP COMMAND...: the setup sees the command's process as $$.
in_namespace() {
    setup=$1
    shift
    unshare -rm sh -c "{ $setup; } && exec \"\$@\"" sh "$@"
}

# measures WORDS COMMAND...: runs `COMMAND... ert run`; a whole set, or one with warnings (4: others disturb
# it), that says the words.
measures() {
    words=$1 status=0
    shift
    rm -rf "$work/out"
    "$@" "$ert" run --verbose --config "$work/small.json" --out "$work/out" >"$work/log" 2>&1 || status=$?
    [ $status -eq 0 ] || [ $status -eq 4 ] || { echo "exit code $status"; cat "$work/log"; return 1; }
    "$ert" fit "$work/out/samples.json" >/dev/null && "$ert" show "$work/out/ceilings.json" >/dev/null &&
        [ -s "$work/out/roofline.svg" ] || return 1
    cat "$work/log" "$work/out/ceilings.json" | grep -q "$words" && return
    echo "no '$words'"
    cat "$work/log"
    return 1
}

# Said before anything is measured.
nowhere_to_write() {
    answers 1 'cannot make the folder: Read-only file system' in_namespace \
        "mount --bind '$work' '$work' && mount -o remount,bind,ro '$work' && mount -o remount,bind,ro /" \
        "$ert" run --device fake0 --out "$work/out"
}

# A cgroup of one CPU: version 1, or 2 where its root hands the controller on.
make_cpuset() {
    for folder in /sys/fs/cgroup/cpuset /sys/fs/cgroup; do
        mkdir "$folder/ert-$$" 2>/dev/null || continue
        group=$folder/ert-$$
        cat "$folder/cpuset.mems.effective" "$folder/cpuset.mems" | head -n 1 >"$group/cpuset.mems"
        echo "$cpu" >"$group/cpuset.cpus" && return
        rmdir "$group"
        group=
    done 2>/dev/null
    return 1
}

# A cgroup that grants half of the CPUs: version 1, or 2 where its root hands it on.
make_quota() {
    for folder in /sys/fs/cgroup/cpu /sys/fs/cgroup; do
        mkdir "$folder/ert-$$" 2>/dev/null || continue
        group=$folder/ert-$$ most_us=$(($(nproc) * 50000))
        { echo $most_us >"$group/cpu.cfs_quota_us" || echo "$most_us 100000" >"$group/cpu.max"; } && return
        rmdir "$group"
        group=
    done 2>/dev/null
    return 1
}

# What was recorded with all CPUs is not judged by half of them: that there are fewer is the verdict.
below_quota() {
    rm -rf "$work/out"
    "$ert" run --config "$work/small.json" --out "$work/out" >"$work/log" 2>&1 || [ $? -eq 4 ] || return 1
    answers 1 'the cgroup grants ' in_group "$ert" verify "$work/out/ceilings.json" --budget 1.5
}

in_group() {
    sh -c 'echo $$ >"$0" && exec "$@"' "$group/cgroup.procs" "$@"
}

if unshare -rm true 2>/dev/null; then
    # What a CPU can do is in /proc/cpuinfo alone.
    check "no /proc" answers 3 'cannot be measured: no instruction set' in_namespace \
        "mount -t tmpfs none /proc" "$ert" run --config "$work/small.json" --out "$work/out"
    check "no /sys" measures . in_namespace "mount -t tmpfs none /sys"
    check "no cgroup files" measures . in_namespace 'mount -t tmpfs none /sys/fs/cgroup &&
        mount --bind /dev/null /proc/$$/cgroup && mount --bind /dev/null /proc/$$/mountinfo'
    keep="mount --bind '$work' '$work' && cd /"
    check "a read-only root" measures . in_namespace "$keep && mount -o remount,bind,ro /"
    check "nowhere to write" nowhere_to_write
else
    skip "no /proc, no /sys, no cgroup files, a read-only root" "no namespace can be made"
fi
cpu=$(taskset -pc $$ | sed 's/.*: *\([0-9]*\).*/\1/')
one=.
[ "$(nproc)" -eq 1 ] || one='this process may use 1 of'
check "affinity for one CPU" measures "$one" taskset -c "$cpu"
if make_cpuset; then
    check "a cpuset of one CPU" measures "$one" in_group
    rmdir "$group"
    group=
else
    skip "a cpuset of one CPU" "no cgroup of cpusets can be made"
fi
if make_quota; then
    check "a quota below the recorded threads" below_quota
else
    skip "a quota below the recorded threads" "no cgroup with a quota can be made"
fi
done_testing
