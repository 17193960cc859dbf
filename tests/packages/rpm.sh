# SPDX-License-Identifier: BSD-3-Clause
# The rpm packages, by Debian's rpmbuild: of what they require nothing is checked here.
build() {
    mkdir -p "$work/build/rpm/SOURCES" && cp "$archive" "$work/build/rpm/SOURCES" &&
        within build rpmbuild -ba --nodeps --nocheck --define '_topdir /rpm' \
            "/first/$folder/configs/packages/rpm/ert.spec"
}

install() {
    within build sh -c 'rpm -i --nodeps --force /rpm/RPMS/*/*.rpm && cd /tmp && ert --version &&
        ert run --device fake --config quick --out rpm && roofline plot rpm/ceilings.json --out rpm.svg'
}

# Not errors today: tags that Fedora dropped or its build service sets; ldconfig, which file triggers call
# since Fedora 28; names of Mandriva; where %license and build-ids lie; a table of hashes next to GNU's.
filters='no-(group|packager)-tag|no-signature|library-without-ldconfig|without-%mklibname'
filters="$filters|missing-hash-section|outside-libdir-files.*LICENSE|static-library-without-debuginfo"
filters="$filters|non-versioned-file-in-library-package /usr/lib/.build-id"
lint() {
    echo "Filters = ['($filters)']" >"$work/build/rpm/lint.toml"
    within build sh -c 'rpmlint -c /rpm/lint.toml /rpm/RPMS/*/*.rpm /rpm/SRPMS/*.rpm'
}

try "built" build || return
cp "$work"/build/rpm/RPMS/*/*.rpm "$work"/build/rpm/SRPMS/*.rpm "$out"
try "rpmlint has no error" lint
try "installed, it works" install
