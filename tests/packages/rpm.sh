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

try "built" build || return
cp "$work"/build/rpm/RPMS/*/*.rpm "$work"/build/rpm/SRPMS/*.rpm "$out"
try "rpmlint has no error" within build sh -c 'rpmlint /rpm/RPMS/*/*.rpm /rpm/SRPMS/*.rpm'
try "installed, it works" install
