# SPDX-License-Identifier: BSD-3-Clause
# The EasyBuild module: built with the system's compiler, loaded by Lmod. eb refuses to run as root.
tools() {
    from_pypi pypi easybuild
}

set_up() {
    mkdir -p "$work/build/easybuild" && cp "$archive" "$work/build/easybuild" &&
        tar -xf "$archive" -C "$work/build/easybuild" &&
        within build sh -c 'useradd -d /easybuild builder && chown -R builder /easybuild &&
            python3 -m venv /easybuild/venv &&
            /easybuild/venv/bin/pip install -q --no-index --find-links /pypi easybuild'
}

as_builder() {
    within build setpriv --reuid builder --regid builder --clear-groups env HOME=/easybuild bash -c \
        ". /etc/profile.d/lmod.sh && cd /easybuild && $1"
}

tools 2>/dev/null || { skip "PyPI is not reached (pip wheel easybuild)"; return; }
try "EasyBuild is set up" set_up || return
try "built, sanity checks pass" as_builder ". venv/bin/activate &&
    eb $folder/configs/packages/easybuild/$folder.eb --sourcepath=/easybuild --prefix=/easybuild/site" ||
    return
try "loaded, it works" as_builder "module use site/modules/all && module load ert/$version &&
    ert run --device fake --config quick --out fake && roofline plot fake/ceilings.json --out chart.svg &&
    pkg-config --modversion libroofline && man -w ert"
