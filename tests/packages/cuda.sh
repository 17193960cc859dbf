# SPDX-License-Identifier: BSD-3-Clause
# ert-cuda, the contrib package, by the nvcc 11.8 of Debian's non-free: 1.6 GB to fetch, 8 GB in TMPDIR.
profiles=pkg.ert.cuda,nocheck

set_up() {
    new_root cuda && sed -i 's/ main$/ main contrib non-free/' "$work/cuda/etc/apt/sources.list" &&
        unpack cuda/first && install_in cuda build-essential &&
        within cuda apt-get build-dep -qy --no-install-recommends -P "$profiles" "/first/$folder"
}

build() {
    within cuda sh -c "cd '/first/$folder' && dpkg-buildpackage -us -uc -P$profiles" &&
        cp "$work"/cuda/first/ert-cuda_*.deb "$out"
}

# Opened beside the ert of the same build. cuobjdump is there, where nvcc is.
proves() {
    within cuda sh -c "dpkg -i /first/ert_*.deb /first/ert-cuda_*.deb && ert validate --code-for 9.0"
}

# Where there is neither GPU nor driver, that is what is said.
no_gpu() {
    new_root gpuless && cp "$work"/cuda/first/ert_*.deb "$work"/cuda/first/ert-cuda_*.deb "$work/gpuless" &&
        within gpuless apt-get update -q &&
        within gpuless sh -c 'apt-get install -qy --no-install-recommends /*.deb' || return
    said=$(within gpuless ert run --device gpu --out /tmp/gpu 2>&1)
    [ $? -eq 3 ] || { echo "$said"; return 1; }
    case $said in *"no CUDA module"*) echo "$said"; return 1 ;; esac
}

try "a root with CUDA" set_up || return
try "built" build || return
! has lintian lintian "what lintian says" ||
    try "lintian has no error or warning" lintian --fail-on error,warning "$work"/cuda/first/ert-cuda_*.deb
try "its machine code is what it claims" proves
try "installed where no GPU is, it says so" no_gpu
