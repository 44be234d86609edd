# SPDX-License-Identifier: Apache-2.0
"""The page of a report in a real browser: it loads nothing, follows the light and dark mode of the reader, opens its folded sections
by keyboard, cuts no text of its pictures, and is no wider than a small screen. Skipped where there is no chromium
(tests/support/install_packages.sh --browser)."""

import html
import json
import re
import shutil
import sys
import unittest

import lab

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

# Runs in the page and leaves what it found in an attribute, which --dump-dom prints.
PROBE = """<script>
addEventListener("load", () => {
  const folded = [...document.querySelectorAll("details")];
  const closed = folded.filter(each => !each.open).length;
  for (const each of folded) {
    const title = each.querySelector("summary");
    title.focus();
    if (document.activeElement === title) title.click();  // Enter does the same to what has the focus
  }
  const cut = [];
  for (const svg of document.querySelectorAll("svg")) {
    const room = svg.viewBox.baseVal;
    for (const text of svg.querySelectorAll("text")) {
      const box = text.getBBox();
      const frame = text.parentElement.querySelector("rect.rank-box");
      const right = frame ? frame.x.baseVal.value + frame.width.baseVal.value : room.x + room.width;
      if (box.x < room.x - 1 || box.x + box.width > right + 1 || box.y < room.y - 1 || box.y + box.height > room.y + room.height + 1)
        cut.push(text.textContent);
    }
  }
  const found = {
    loaded: performance.getEntriesByType("resource").length,
    paper: getComputedStyle(document.body).backgroundColor,
    ink: getComputedStyle(document.body).color,
    closed: closed, open: folded.filter(each => each.open).length, folded: folded.length,
    wide: document.documentElement.scrollWidth, window: innerWidth,
    pictures: document.querySelectorAll("svg").length, cut: cut, title: document.title, text: document.body.innerText };
  document.body.setAttribute("data-found", JSON.stringify(found));
});
</script></body>"""


class PageInBrowser(lab.Scenario):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.run_path = cls.training("run", ["late_rank:rank=1,ms=30"], steps=25)
        cls.result = lab.report(cls.run_path)
        cls.page = lab.run([lab.RINGSIDE, "report", cls.run_path, "--format", "html"]).stdout

    def found(self, width=1366, dark=False):
        file = self.folder / "page.html"
        self.assertEqual(self.page.count("</body>"), 1)
        file.write_text(self.page.replace("</body>", PROBE))
        done = lab.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={self.folder}/browser",
                        f"--window-size={width},768", f"--blink-settings=preferredColorScheme={0 if dark else 1}",
                        "--dump-dom", file.as_uri()])
        return json.loads(html.unescape(re.search(r'data-found="([^"]*)"', done.stdout).group(1)))

    def test_it_loads_nothing_and_shows_the_report(self):
        found = self.found()
        self.assertEqual(found["loaded"], 0)
        self.assertIn(self.result["verdict"]["summary"].split(". ")[0], found["text"])
        self.assertGreaterEqual(found["pictures"], 3, "bars, map and what explains the step")
        for finding in self.result["findings"]:
            self.assertIn(finding["rule"], found["text"])

    def test_it_is_light_or_dark_as_the_reader_wants(self):
        light, dark = self.found(), self.found(dark=True)
        self.assertEqual((light["paper"], light["ink"]), ("rgb(255, 255, 255)", "rgb(29, 35, 48)"))
        self.assertEqual((dark["paper"], dark["ink"]), ("rgb(20, 23, 29)", "rgb(230, 233, 239)"))

    def test_folded_sections_open_by_keyboard(self):
        found = self.found()
        self.assertGreater(found["closed"], 0)
        self.assertEqual(found["open"], found["folded"])

    def test_no_text_of_a_picture_is_cut_and_the_page_fits(self):
        for width in (800, 1366, 3840):
            found = self.found(width)
            self.assertEqual(found["cut"], [], width)
            self.assertLessEqual(found["wide"], found["window"], width)


if __name__ == "__main__":
    if BROWSER is None:
        print("skipped: needs chromium (tests/support/install_packages.sh --browser)")
        sys.exit(lab.SKIPPED)
    unittest.main(verbosity=2)
