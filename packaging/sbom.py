# SPDX-License-Identifier: Apache-2.0
"""What portable binaries are made of: sbom.py SYSROOT VERSION FOLDER

Writes FOLDER/sbom.spdx.json (SPDX 2.3) and, of each library that is linked in, FOLDER/licences/PACKAGE. The list is
static_libraries.txt; versions and checksums are those of the packages that the sysroot was filled from, and of the compiler's.
"""

import datetime
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sysroot, version, folder = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
HERE = pathlib.Path(__file__).parent


def listed():
    """(package, is from the host, licence) of each line."""
    for line in (HERE / "static_libraries.txt").read_text().splitlines():
        if found := re.match(r"(host:)?([a-z0-9.+-]+)\s+(.+)$", line):
            yield found.group(2), bool(found.group(1)), found.group(3)


def sysroot_packages():
    """Name: (version, machine, SHA-256)."""
    packages = {}
    for line in (sysroot / "packages.sha256").read_text().splitlines():
        checksum, file = line.split()
        name, its_version, its_machine = file.removesuffix(".deb").split("_")
        packages[name] = (its_version.replace("%3a", ":"), its_machine, checksum)
    return packages


def copyright_file(package, is_host):
    path = pathlib.Path("/" if is_host else sysroot) / "usr/share/doc" / package / "copyright"
    path = pathlib.Path(os.path.realpath(path))
    if not path.is_file():
        sys.exit(f"sbom.py: {path} is missing: install {package}, or fill the sysroot again")
    return path


def host_package(package, machine):
    """Its name here: of a cross compiler where packages are built for another machine."""
    own = subprocess.run(["dpkg", "--print-architecture"], text=True, capture_output=True, check=True).stdout.strip()
    return package if machine == own else f"{package}-{machine}-cross"


def host_version(package):
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Version} ${Architecture}", package], text=True, capture_output=True, check=True)
    return (*done.stdout.split(), None)


def entry(package, licence, its_version, machine, checksum):
    part = {"SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", package), "name": package, "versionInfo": its_version,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence,
            "copyrightText": f"in licences/{package}", "supplier": "Organization: Debian",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                              "referenceLocator": f"pkg:deb/debian/{package.replace('+', '%2B')}@{its_version.replace('+', '%2B')}?arch={machine}"}]}
    if checksum:
        part["checksums"] = [{"algorithm": "SHA256", "checksumValue": checksum}]
    return part


def write():
    licences = folder / "licences"
    shutil.rmtree(licences, ignore_errors=True)
    licences.mkdir(parents=True)
    known = sysroot_packages()
    machine = known["zlib1g-dev"][1]
    parts = []
    for name, is_host, licence in listed():
        package = host_package(name, machine) if is_host else name
        shutil.copyfile(copyright_file(package, is_host), licences / package)
        parts.append(entry(package, licence, *(host_version(package) if is_host else known[package])))
    ringside = {"SPDXID": "SPDXRef-ringside", "name": "ringside", "versionInfo": version, "downloadLocation": "NOASSERTION",
                "filesAnalyzed": False, "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0",
                "copyrightText": "The Ringside authors", "supplier": "NOASSERTION"}
    created = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
    unique = hashlib.sha256(json.dumps([version, parts]).encode()).hexdigest()[:32]
    document = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"ringside-{version}",
                "documentNamespace": f"https://spdx.org/spdxdocs/ringside-{version}-{unique}",
                "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: ringside-packaging"]},
                "packages": [ringside, *parts],
                "hasExtractedLicensingInfos": [{"licenseId": "LicenseRef-public-domain", "name": "public domain",
                                                "extractedText": "Put into the public domain by its authors; see licences/liblzma-dev."}],
                "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-ringside"},
                                  *({"spdxElementId": "SPDXRef-ringside", "relationshipType": "STATIC_LINK", "relatedSpdxElement": part["SPDXID"]}
                                    for part in parts)]}
    (folder / "sbom.spdx.json").write_text(json.dumps(document, indent=1) + "\n")


write()
