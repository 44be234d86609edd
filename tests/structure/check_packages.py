# SPDX-License-Identifier: Apache-2.0
"""Every file of the system that the build reads belongs to a package that tests/support/install_packages.sh installs, or to one that
such a package depends on: on a clean system nothing else is there. check_packages.py SOURCE BUILD

Headers are those that the compiler named in a build so far. The CUDA toolkit is optional, and not on the list.
"""

import pathlib
import re
import subprocess
import sys

source, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
OPTIONAL = re.compile(r"cuda|nvidia|libcu|libnv|libnccl")


def run(*command):
    return subprocess.run(command, text=True, capture_output=True).stdout


def listed():
    text = (source / "tests/support/install_packages.sh").read_text()
    arrays = re.findall(r"packages\+?=\((.*?)\)", text, re.S)
    words = re.sub(r"#.*", "", "\n".join(arrays)).split()
    assert "cmake" in words and "xvfb" in words, "the lists of install_packages.sh look otherwise than this check expects"
    return words


def names(field):
    """Of each dependency the alternatives: [["a", "b"], ["c"]]."""
    return [[re.sub(r"[:\s(].*", "", other.strip()) for other in one.split("|")] for one in field.split(",") if one.strip()]


def installed_by(roots):
    """These packages and all that they depend on, as far as they are installed here."""
    depends, provided = {}, {}
    for line in run("dpkg-query", "-W", "-f", "${Package}\t${Depends},${Pre-Depends}\t${Provides}\n").splitlines():
        package, needs, gives = line.split("\t")
        depends[package] = [other for one in names(needs) for other in one]
        for (gift,) in names(gives):
            provided.setdefault(gift, []).append(package)
    found, left = set(), list(roots)
    while left:
        package = left.pop()
        if package not in found:
            found.add(package)
            left += depends.get(package, []) + provided.get(package, [])
    return found


def files_read():
    headers = re.findall(r"^ +(/usr/\S+)", run("ninja", "-C", str(build), "-t", "deps"), re.M)
    libraries = re.findall(r"/usr/lib/x86_64-linux-gnu/[\w.+-]+\.(?:a|so)\b", (build / "build.ninja").read_text())
    return sorted(set(headers) | set(libraries))


def owners(files):
    """File: package, of those that a package brought."""
    lines = run("dpkg-query", "-S", *files).splitlines()
    return {line.rsplit(": ", 1)[1]: line.split(":", 1)[0] for line in lines if not line.startswith("diversion")}


files = files_read()
assert files, f"{build} holds no build"
wanted = installed_by(listed())
missing = {}
for file, package in owners(files).items():
    if package not in wanted and not OPTIONAL.search(package):
        missing.setdefault(package, file)
for package, file in sorted(missing.items()):
    print(f"the build reads {file}: add {package} to tests/support/install_packages.sh")
sys.exit(1 if missing else 0)
