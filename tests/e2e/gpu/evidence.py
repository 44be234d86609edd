# SPDX-License-Identifier: Apache-2.0
"""Keeps what the checks leave, in few files of limited size: 8 files of 16 MiB, 64 MiB together, is the most that some machines
give back. While a check runs, its log and files lie in OUT/running; afterwards each is compressed and put into one of the archives,
small ones first. The last archive is kept for checks that differ."""

import gzip
import json
import shutil
import subprocess
import tarfile

ARCHIVES = 4
ARCHIVE_BYTES = 15 << 20
RECOVER_S = 5


class Store:
    def __init__(self, out, pack):
        self.out, self.pack, self.running = out, pack.resolve(), out / "running"
        self.left_out = []
        self.close()
        out.mkdir(parents=True, exist_ok=True)
        for old in [*out.glob("evidence-*.tar"), *out.glob("results.*")]:
            old.unlink()

    def begin(self):
        """The file for the output of a check."""
        self.running.mkdir()
        return open(self.running / "log.txt", "ab")

    def said(self):
        """The lines of the check that runs or has run."""
        text = (self.running / "log.txt").read_text(encoding="utf-8", errors="replace")
        return [line.rstrip() for line in text.splitlines() if line.strip()]

    def facts(self, known):
        """What the check `facts` found, as text of JSON."""
        found = self.running / "facts.json"
        return found.read_text() if found.exists() else known

    def recover(self, log, environment):
        """What killed processes left in memory becomes part of their runs."""
        for run in self.running.glob("*.ringside"):
            words = ["env", f"LD_LIBRARY_PATH={self.pack / 'lib' / 'carried'}", str(self.pack / "bin" / "ringside"), "recover", str(run)]
            try:
                subprocess.run(words, env=environment, stdout=log, stderr=subprocess.STDOUT, timeout=RECOVER_S, check=False)
            except subprocess.TimeoutExpired:
                log.write(f"recover {run.name}: not done after {RECOVER_S} s\n".encode())

    def archive(self, bytes_, differs):
        """The first archive with room for so many bytes, None: there is none."""
        for number in range(1, ARCHIVES + int(differs)):
            path = self.out / f"evidence-{number}.tar"
            if (path.stat().st_size if path.exists() else 0) + bytes_ + 2 * tarfile.RECORDSIZE <= ARCHIVE_BYTES:
                return path
        return None

    def keep(self, path, name, differs):
        packed = path.with_name(path.name + ".gz")
        with open(path, "rb") as plain, gzip.open(packed, "wb", compresslevel=3) as file:
            shutil.copyfileobj(plain, file)
        archive = self.archive(packed.stat().st_size, differs)
        if archive is None:
            self.left_out.append(f"{name} {packed.stat().st_size} bytes")
        else:
            with tarfile.open(archive, "a") as tar:
                tar.add(packed, f"{name}.gz")
        packed.unlink()

    def end(self, done, table, results):
        """Of a check that ended, or was not begun: packs what it left, and writes the results so far."""
        files = sorted((path for path in self.running.rglob("*") if path.is_file()), key=lambda path: (path.stat().st_size, path))
        for path in files:
            self.keep(path, f"{done['check']}/{path.relative_to(self.running)}", done["state"] == "differs")
        self.close()
        left_out = "".join(f"no room for {line}\n" for line in self.left_out)
        (self.out / "results.txt").write_text(f"{table}\n{left_out}")
        (self.out / "results.json").write_text(json.dumps(results, indent=1))

    def close(self):
        shutil.rmtree(self.running, ignore_errors=True)
