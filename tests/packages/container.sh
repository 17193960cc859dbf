# SPDX-License-Identifier: BSD-3-Clause
# The container: an image of the empty Debian and of the packages, run by a user who is nobody.
has buildah buildah "built and run" || return
[ -n "$(ls "$out"/ert_"$version"-*.deb 2>/dev/null)" ] || { skip "no Debian packages in $out"; return; }

# Storage that needs nothing of the kernel, in the throw-away folder.
store="--root $work/store --runroot $work/storerun --storage-driver vfs"

build() {
    mkdir "$work/context" && cp "$out"/ert_*.deb "$out"/ert-net_*.deb "$work/context" &&
        container=$(buildah $store from scratch) &&
        buildah $store add "$container" "$work/base.tar" / &&
        buildah $store commit --rm "$container" localhost/debian:12 &&
        cp "$work/build/first/$folder/configs/packages/container/Containerfile" "$work/context" &&
        buildah $store bud --isolation chroot --pull-never --build-arg BASE=localhost/debian:12 \
            -t localhost/ert "$work/context"
}

# As the user that it names, without a capability. No runtime: each wants other cgroups of its kernel.
run() {
    mkdir "$work/results" && chown 1000:1000 "$work/results" &&
        container=$(buildah $store from --pull-never localhost/ert) &&
        buildah $store run --isolation chroot --cap-drop all -v "$work/results:/work" "$container" -- \
            sh -c 'id -u | grep -x 1000 && grep "^CapEff:.0*$" /proc/self/status &&
                ert run --device fake --config quick --out /work' &&
        [ -s "$work/results/ceilings.json" ]
}

try "built from Containerfile" build || return
try "runs without a privilege" run
