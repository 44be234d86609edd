# SPDX-License-Identifier: Apache-2.0
"""A Python wheel of an installed tree: wheel.py STAGE VERSION FOLDER [MACHINE]

Prints the wheel's path. It carries the program, the collector and the SQLite extension as the tree has them, and the Python module.
The same tree gives the same bytes.
"""

import base64
import hashlib
import os
import pathlib
import platform
import sys
import time
import zipfile

import documents

stage, version, folder = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
machine = sys.argv[4] if len(sys.argv) > 4 else platform.machine()
HERE = pathlib.Path(__file__).parent
# The binaries' floor, which check_floor.sh holds them against, and its older name: pip before 20.3 knows no other.
PLATFORMS = (f"manylinux2014_{machine}", f"manylinux_2_17_{machine}")
INFO = f"ringside-{version}.dist-info"
METADATA = f"""Metadata-Version: 2.1
Name: ringside
Version: {version}
Summary: Finds out why distributed training is slower than its GPUs
License: Apache-2.0
Requires-Python: >=3.8
Classifier: Operating System :: POSIX :: Linux
Description-Content-Type: text/markdown

"""


def contents():
    """(name in the wheel, bytes, whether it is a program)."""
    for name in ("bin/ringside", "lib/ringside/libringside_collector.so", "lib/ringside/ringside_sqlite.so"):
        yield f"ringside/{name}", (stage / name).read_bytes(), name.startswith("bin/")
    for path in sorted((stage / "share/ringside/python/ringside").iterdir()):
        yield f"ringside/{path.name}", path.read_bytes(), False
    yield "ringside/__main__.py", (HERE / "wheel/__main__.py").read_bytes(), False
    shared = [path for part in ("man", "bash-completion", "zsh", "fish") for path in (stage / "share" / part).rglob("*") if path.is_file()]
    for path in sorted(shared):
        yield f"ringside-{version}.data/data/{path.relative_to(stage)}", path.read_bytes(), False
    papers = stage / "share/doc/ringside"
    for path in sorted(path for path in papers.rglob("*") if path.is_file() and path.name in ("sbom.spdx.json", "copyright") or path.parent.name == "licences"):
        yield f"{INFO}/licenses/{path.relative_to(papers)}", path.read_bytes(), False
    yield f"{INFO}/METADATA", (METADATA + documents.text_of(papers, "README.md", lambda page, target: None)).encode(), False
    tags = "".join(f"Tag: py3-none-{each}\n" for each in PLATFORMS)
    yield f"{INFO}/WHEEL", f"Wheel-Version: 1.0\nGenerator: ringside-packaging\nRoot-Is-Purelib: false\n{tags}".encode(), False
    yield f"{INFO}/entry_points.txt", b"[console_scripts]\nringside = ringside.__main__:main\n", False


def write():
    when = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800))[:6]  # a zip's first day
    path = folder / f"ringside-{version}-py3-none-{'.'.join(PLATFORMS)}.whl"
    record = ""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        def add(name, data, is_program):
            entry = zipfile.ZipInfo(name, when)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if is_program else 0o100644) << 16
            wheel.writestr(entry, data)

        for name, data, is_program in contents():
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{name},sha256={digest},{len(data)}\n"
            add(name, data, is_program)
        add(f"{INFO}/RECORD", (record + f"{INFO}/RECORD,,\n").encode(), False)
    print(path)


write()
