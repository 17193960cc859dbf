# SPDX-License-Identifier: BSD-3-Clause
# The Debian packages.
build() { # IN WORDS_OF_env...
    in=$1
    shift
    unpack "build/$in" && within build env "$@" sh -c "cd '/$in/$folder' && dpkg-buildpackage -us -uc"
}

# Later, elsewhere, in another time zone, with another umask and another number of jobs.
build_again() (
    umask 027
    build home/other DEB_BUILD_OPTIONS="nocheck parallel=3" TZ=Pacific/Kiritimati LC_ALL=C
)

same_bytes() {
    for file in "$built"/*.deb "$built"/*.dsc; do
        again=$work/build/home/other/$(basename "$file")
        cmp "$file" "$again" || { diffoscope --text - "$file" "$again"; return 1; }
    done
}

test_installed() {
    new_root testbed && install_in testbed apt-utils dpkg-dev &&
        env -u TMPDIR autopkgtest --no-built-binaries "$built"/*.deb "$built/$folder/" -- \
            chroot "$work/testbed"
}

purge() {
    new_root purged && piuparts --existing-chroot "$work/purged" --distribution bookworm \
        ${mirror:+--mirror "$mirror main"} --no-eatmydata "$built"/*.deb
}

# What is measured (configs/packages/debian/rules says why), and what goes into programs of others.
unhardened='ert/core/backend/cpu|ert/ext/ert110|gpp/cpu|examples|analysis/ext/record/cupti'
unhardened="$unhardened|analysis/ext/record/valgrind"
built=$work/build/first
case ${DEB_BUILD_OPTIONS:-} in
*nocheck*) tests="its test suite did not run" ;;
*) tests="its test suite passes" ;;
esac
try "built; $tests" build first DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-}" || return
build_log=$log
cp "$built"/*.deb "$built"/*.dsc "$built"/*.xz "$out"
! has lintian lintian "what lintian says" ||
    try "lintian has no error or warning" lintian --fail-on error,warning "$built"/*.changes
! has blhc blhc "hardening" ||
    try "hardened as Debian wants it" blhc --debian --ignore-line ".* -o ($unhardened)/.*" "$build_log"
! has autopkgtest autopkgtest "installed in an empty root" ||
    try "installed in an empty root, it works" test_installed
! has piuparts piuparts "installed and purged" || try "installed and purged, nothing is left" purge
try "built again elsewhere" build_again && try "with the same bytes" same_bytes
