# SPDX-License-Identifier: Apache-2.0
"""Packs what the scenarios left into a few files of limited size: results as they are, logs and figures in one archive, traces in
another as long as they fit, the smallest first. What does not fit is named in left_out.txt."""

import shutil
import tarfile

ARCHIVE_BYTES = 15 << 20  # before compression: a trace is compressed already
TRACES = (".db", ".trace.json")


def is_trace(path):
    return path.name.endswith(TRACES) or ".ringside" in path.parent.name


def write_archive(archive, work, files, limit_bytes):
    """Returns the files for which no room was left."""
    left_out = []
    room = limit_bytes
    with tarfile.open(archive, "w:gz") as packed:
        for path in sorted(files, key=lambda path: path.stat().st_size):
            if path.stat().st_size <= room:
                room -= path.stat().st_size
                packed.add(path, path.relative_to(work))
            else:
                left_out.append(path)
    return left_out


def pack(work, out, limit_bytes=ARCHIVE_BYTES):
    out.mkdir(parents=True, exist_ok=True)
    files = [path for path in work.rglob("*") if path.is_file() and path.parent != work]
    left_out = write_archive(out / "logs.tar.gz", work, [path for path in files if not is_trace(path)], limit_bytes)
    left_out += write_archive(out / "traces.tar.gz", work, [path for path in files if is_trace(path)], limit_bytes)
    for path in work.glob("results.*"):
        shutil.copy(path, out)
    (out / "left_out.txt").write_text("".join(f"{path.relative_to(work)} {path.stat().st_size} bytes\n" for path in left_out))
