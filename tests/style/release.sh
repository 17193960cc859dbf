#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A release: the version of configure.ac everywhere, and packaging files that their tools can read.
. "$top_srcdir/tests/tap.sh"
cd "$top_srcdir" || exit 1
packages=configs/packages
version=$(sed -n 's/^AC_INIT(\[ert\], \[\([0-9.]*\)\].*/\1/p' configure.ac)

# says FILE EXPRESSION: the first thing that this expression of sed finds in the file is the version.
says() {
    found=$(sed -n "s/$2.*/\\1/p" "$1" | head -n 1)
    [ "$found" = "$version" ] || echo "$1: version '$found', configure.ac: '$version'"
}
number='\([0-9][0-9.]*\)'
versions() {
    says CHANGELOG.md "^## $number"
    says CITATION.cff "^version: $number"
    says $packages/debian/changelog "^ert ($number-"
    says $packages/rpm/ert.spec "^Version: *$number"
    says $packages/easybuild/ert-"$version".eb "^version = '$number"
    says $packages/spack/package.py "^    version(\"$number"
    says $packages/ert.lua "^whatis(\"Version: $number"
}

# The schemas that CHANGELOG.md promises to read are those of the sources.
unwritten_schemas() {
    sed -n '/^| file | schema/,/^$/p' CHANGELOG.md | grep -oE 'ert-[a-z-]+/[0-9]+' | while read -r schema; do
        grep -rqF "$schema\"" ert analysis --include='*.[ch]' --include='*.schema.json' || echo "$schema"
    done
}

build_flags() {
    sh ert/core/machine/build_info.sh . "-g -ffile-prefix-map=/folder/of/build=. -O2" | grep ERT_BUILD_FLAGS
}

check "configure.ac has a semantic version" expr "$version" : '[0-9]*\.[0-9]*\.[0-9]*$'
check "the version is the same everywhere" empty versions
check "the file formats are those of the sources" empty unwritten_schemas
check "the build's folder is not among the flags" prints '"-g -O2"' build_flags

if command -v python3 >/dev/null; then
    for file in $packages/*.py $packages/*/*.py $packages/easybuild/*.eb; do
        check "$file is Python" python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$file"
    done
else
    skip "recipes are Python" "no python3"
fi
if python3 -c 'import yaml' 2>/dev/null; then
    check "CITATION.cff has what a citation needs" python3 -c '
import yaml
cff = yaml.safe_load(open("CITATION.cff"))
missing = {"cff-version", "message", "title", "authors", "version", "license"} - set(cff)
assert not missing, missing
assert cff["cff-version"] == "1.2.0" and all("name" in a or "family-names" in a for a in cff["authors"])'
else
    skip "CITATION.cff has what a citation needs" "no python3 with yaml (Debian: python3-yaml)"
fi
if command -v rpmspec >/dev/null; then
    check "the spec is one" prints "ert-devel-$version-1" rpmspec -q $packages/rpm/ert.spec
else
    skip "the spec is one" "no rpmspec (Debian: rpm)"
fi
if command -v luac >/dev/null; then
    check "the module file is Lua" luac -p $packages/ert.lua
else
    skip "the module file is Lua" "no luac (Debian: lua5.4)"
fi
done_testing
