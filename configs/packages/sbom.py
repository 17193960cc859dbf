#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""sbom.py VERSION PROGRAM...: an SPDX 2.3 document of what the programs are linked with.

Shared libraries are those that the programs name (readelf); the static ones that they hold are told by what
only these bring. Licences are the rows of third-party.md; a library without one is an error. Versions are the
system's package manager's. The date is SOURCE_DATE_EPOCH's, so that the same build gives the same document.
"""
import datetime
import hashlib
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
STATIC = {"libcudart_static": b"libcudart_static_", "libcoregrind": b"VALGRIND_LAUNCHER",
          "libvex": b"VexArchInfo"}


def output(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def licences():
    """{"libhwloc": ("hwloc", "BSD-3-Clause"), ...} of third-party.md."""
    rows = {}
    for line in open(os.path.join(HERE, "third-party.md")):
        cells = [cell.strip() for cell in line.strip("|\n ").split("|")]
        if len(cells) == 4 and cells[0].startswith(("lib", "ld-")):
            for name in cells[0].split(","):
                rows[name.strip()] = (cells[1], cells[2])
    return rows


def version(soname, program):
    """Of the package that has the file which the program would load; "" where none says so."""
    found = re.search(re.escape(soname) + r" => (/\S+)|^\s(/\S*" + re.escape(soname) + r") ",
                      output("ldd", program), re.M)
    path = os.path.realpath(found.group(1) or found.group(2)) if found else ""
    owner = output("dpkg-query", "-S", path) or output("dpkg-query", "-S", path.replace("/usr/lib/", "/lib/", 1))
    if owner:
        return output("dpkg-query", "-W", "-f", "${Version}", owner.split(": ")[0])
    return output("rpm", "-qf", "--qf", "%{VERSION}-%{RELEASE}", path) if path else ""


def package(identity, name, number, licence):
    return {"SPDXID": identity, "name": name, "versionInfo": number or "NOASSERTION",
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": licence,
            "licenseDeclared": licence, "copyrightText": "NOASSERTION"}


def document(number, programs):
    known = licences()
    packages = {"ert": package("SPDXRef-ert", "ert", number, "BSD-3-Clause")}
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-ert")]
    for program in programs:
        data = open(program, "rb").read()
        own = "SPDXRef-" + os.path.basename(program).replace("_", "-")
        packages[own] = package(own, os.path.basename(program), number, "BSD-3-Clause")
        packages[own]["checksums"] = [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(data).hexdigest()}]
        relations.append(("SPDXRef-ert", "CONTAINS", own))
        needed = re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "-d", program))
        linked = [(soname, "DYNAMIC_LINK") for soname in needed]
        linked += [(name, "STATIC_LINK") for name, sign in STATIC.items() if sign in data]
        for soname, how in linked:
            row = known.get(soname.split(".")[0]) or known.get(re.sub(r"-linux.*", "-linux", soname))
            if not row:
                sys.exit("%s: linked with %s, which third-party.md does not name" % (program, soname))
            other = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", soname)
            if other not in packages:
                packages[other] = package(other, row[0] + " (" + soname + ")", version(soname, program), row[1])
            relations.append((own, how, other))
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", 0))
    created = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    terms = sorted(set(re.findall(r"LicenseRef-[A-Za-z-]+", json.dumps(packages))))
    body = [packages[key] for key in sorted(packages)]
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": "ert-" + number, "documentNamespace": "urn:sha256:" + digest,
            "creationInfo": {"created": created, "creators": ["Tool: sbom.py"]},
            "packages": body,
            "hasExtractedLicensingInfos": [{"licenseId": term, "extractedText": "see the project"} for term in terms],
            "documentDescribes": ["SPDXRef-ert"],
            "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b}
                              for a, kind, b in sorted(set(relations))]}


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    print(json.dumps(document(sys.argv[1], sys.argv[2:]), indent=1))
