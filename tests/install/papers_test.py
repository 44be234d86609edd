# SPDX-License-Identifier: Apache-2.0
"""The papers that packages carry: changelog, licences, SBOM. papers_test.py SOURCE VERSION"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE, VERSION = pathlib.Path(sys.argv[1]), sys.argv[2]
del sys.argv[1:3]
PACKAGING = SOURCE / "packaging"


def python(script, *arguments, **options):
    return subprocess.run([sys.executable, "-B", PACKAGING / script, *map(str, arguments)], text=True, capture_output=True, timeout=60, **options)


class Papers(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def test_the_version_stands_in_one_place_and_the_changelog_has_it(self):
        newest = re.search(r"^## (\S+) - ", (SOURCE / "CHANGELOG.md").read_text(), re.M)
        self.assertEqual(newest.group(1), VERSION)

    def test_debian_reads_the_changelog(self):
        text = python("changelog.py", SOURCE / "CHANGELOG.md", "ringside", "A B <a@b.org>").stdout
        (self.folder / "changelog").write_text(text)
        read = subprocess.run(["dpkg-parsechangelog", "-l", self.folder / "changelog", "-S", "Version"], text=True, capture_output=True)
        self.assertEqual((read.stdout.strip(), read.stderr), (VERSION, ""))
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        (self.folder / "none.md").write_text("# Changelog\n\nnothing\n")
        self.assertIn("no heading", python("changelog.py", self.folder / "none.md", "ringside", "A B <a@b.org>").stderr)

    def links(self, text):
        return [target for target in re.findall(r"\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"", text) for target in target if target and not re.match("[a-z]+:", target)]

    def test_links_of_shipped_documents_lead_somewhere(self):
        folder = self.folder / "share/doc/ringside"
        self.assertEqual(python("documents.py", SOURCE, folder).stderr, "")
        installed = re.findall(r"[\w-]+\.schema\.json", (SOURCE / "analyzer/CMakeLists.txt").read_text())
        (self.folder / "share/ringside").mkdir()
        for name in installed:
            (self.folder / "share/ringside" / name).touch()
        pages = list(folder.rglob("*.md"))
        self.assertGreater(len(pages), 10)
        dead = [f"{page.name}: {target}" for page in pages for target in self.links(page.read_text()) if not (page.parent / (target.split("#")[0] or page.name)).exists()]
        self.assertEqual(dead, [])
        self.assertGreater(len(self.links((folder / "README.md").read_text())), 10)
        self.assertIn("[tutorial](docs/tutorial.md)", (folder / "README.md").read_text())
        self.assertNotIn("packaging/README.md", (folder / "README.md").read_text(), "no package carries it")

    def test_documents_name_no_folder_that_a_package_does_not_have(self):
        python("documents.py", SOURCE, self.folder)
        for page in self.folder.rglob("*.md"):
            self.assertNotIn("/x86_64-linux-gnu/", page.read_text(), page.name)

    def test_the_wheels_description_has_no_links_into_a_tree(self):
        import_path = f"import sys; sys.path.insert(0, {str(PACKAGING)!r}); import documents; print(documents.text_of({str(SOURCE)!r}, 'README.md', lambda *_: None))"
        text = subprocess.run([sys.executable, "-B", "-c", import_path], text=True, capture_output=True, check=True).stdout
        self.assertEqual(self.links(text), [])
        self.assertIn("tutorial, glossary", text)

    def sysroot(self):
        """One with all packages that are linked in, of version 1:2.3."""
        listed = re.findall(r"^([a-z0-9.+-]+) +\S", (PACKAGING / "static_libraries.txt").read_text(), re.M)
        for package in listed:
            papers = self.folder / "sysroot/usr/share/doc" / package
            papers.mkdir(parents=True)
            (papers / "copyright").write_text(f"terms of {package}\n")
        lines = [f"{index:064x}  {package}_1%3a2.3_amd64.deb\n" for index, package in enumerate(listed)]
        (self.folder / "sysroot/packages.sha256").write_text("".join(lines))
        return listed

    def sbom(self):
        return python("sbom.py", self.folder / "sysroot", VERSION, self.folder / "out", env={"SOURCE_DATE_EPOCH": "86400", "PATH": "/usr/bin:/bin"})

    def test_the_sbom_names_all_that_is_linked_in_with_its_licence(self):
        listed = self.sysroot()
        self.assertEqual(self.sbom().stderr, "")
        document = json.loads((self.folder / "out/sbom.spdx.json").read_text())
        parts = {part["name"]: part for part in document["packages"]}
        self.assertEqual(set(parts), {"ringside", "libgcc-12-dev", "libstdc++-12-dev", *listed})
        self.assertEqual(parts["zlib1g-dev"]["versionInfo"], "1:2.3")
        self.assertEqual(parts["zlib1g-dev"]["licenseConcluded"], "Zlib")
        self.assertEqual(document["creationInfo"]["created"], "1970-01-02T00:00:00Z")
        ids = {part["SPDXID"] for part in parts.values()}
        self.assertEqual(len(ids), len(parts))
        self.assertEqual({relation["relatedSpdxElement"] for relation in document["relationships"]}, ids)
        for name in set(parts) - {"ringside"}:
            self.assertGreater((self.folder / "out/licences" / name).stat().st_size, 0)
        first = (self.folder / "out/sbom.spdx.json").read_bytes()
        self.sbom()
        self.assertEqual((self.folder / "out/sbom.spdx.json").read_bytes(), first)

    def test_a_licence_that_is_missing_ends_the_build(self):
        self.sysroot()
        (self.folder / "sysroot/usr/share/doc/libfmt-dev/copyright").unlink()
        done = self.sbom()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("libfmt-dev/copyright is missing", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
