# SPDX-License-Identifier: Apache-2.0
"""The dashboard of examples/prometheus against Grafana's documented JSON model (grafana.com/docs, "Dashboard JSON model"): fields and their types,
panels that do not overlap in 24 columns, and variables that exist. Debian has no Grafana; what the queries return is tested by Debian's
Prometheus (tests/e2e/prometheus_test.py): dashboard_test.py DASHBOARD"""

import json
import re
import sys
import unittest
from pathlib import Path

BOARD = json.loads(Path(sys.argv.pop()).read_text())
FIELDS = {"uid": str, "title": str, "tags": list, "timezone": str, "editable": bool, "panels": list, "time": dict, "templating": dict, "annotations": dict,
          "refresh": str, "schemaVersion": int, "version": int}
PANELS = {"stat", "table", "timeseries"}  # of Grafana's own
COLUMNS = 24


def names_in(text):
    return set(re.findall(r"\$\{?(\w+)", text)) - {"__all", "__interval", "__rate_interval", "__range"}


class Dashboard(unittest.TestCase):
    def test_it_has_the_fields_of_the_model(self):
        for field, kind in FIELDS.items():
            self.assertIsInstance(BOARD[field], kind, field)
        self.assertTrue(8 <= len(BOARD["uid"]) <= 40, BOARD["uid"])
        self.assertIsNone(BOARD.get("id"), "Grafana numbers dashboards itself")
        self.assertEqual(set(BOARD["time"]), {"from", "to"})
        self.assertIsInstance(BOARD["annotations"]["list"], list)

    def test_panels_have_their_own_place(self):
        taken = {}
        for panel in BOARD["panels"]:
            place = panel["gridPos"]
            self.assertEqual(set(place), {"x", "y", "w", "h"})
            self.assertLessEqual(place["x"] + place["w"], COLUMNS, panel["title"])
            for cell in ((x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])):
                self.assertNotIn(cell, taken, f"{panel['title']} lies on {taken.get(cell)}")
                taken[cell] = panel["title"]
            self.assertIn(panel["type"], PANELS)
        self.assertEqual(len({panel["id"] for panel in BOARD["panels"]}), len(BOARD["panels"]))

    def test_queries_name_sources_and_variables_that_exist(self):
        variables = {each["name"]: each for each in BOARD["templating"]["list"]}
        self.assertEqual(variables["datasource"]["type"], "datasource")
        for each in variables.values():
            self.assertIn(each["type"], {"datasource", "query"})
            self.assertLessEqual(names_in(json.dumps(each)), set(variables))
        for panel in BOARD["panels"]:
            targets = panel["targets"]
            self.assertEqual(len({target["refId"] for target in targets}), len(targets), panel["title"])
            for source in (panel["datasource"], *(target["datasource"] for target in targets)):
                self.assertEqual(source, {"type": "prometheus", "uid": "${datasource}"}, panel["title"])
            self.assertLessEqual(names_in(json.dumps(targets)), set(variables), panel["title"])
            self.assertTrue(all("ringside_" in target["expr"] for target in targets), panel["title"])


if __name__ == "__main__":
    unittest.main()
