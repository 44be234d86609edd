# SPDX-License-Identifier: Apache-2.0
"""A merged file gives the same report as the run directory, and SQL, by `ringside query` or plain sqlite3, gives the same figures."""

import json

import lab


class MergeAndQuery(lab.Scenario):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.directory = cls.training("run", ["small_buckets:mb=0.1"], steps=25)
        cls.result = lab.report(cls.directory)

    def test_a_merged_run_gives_the_same_report(self):
        merged = self.folder / "merged.db"
        lab.run([lab.RINGSIDE, "merge", self.directory, "-o", merged])
        again = lab.report(merged)
        for part in ("coverage", "verdict", "summary", "steps", "ranks", "collectives", "findings"):
            self.assertEqual(again[part], self.result[part], f"{part} differs after merging")

    def test_query_shows_chunked_tables_as_ordinary_ones(self):
        rows = json.loads(lab.run([lab.RINGSIDE, "query", self.directory, "--format", "json",
                                   "SELECT count(*) AS n, min(end_ns - start_ns) AS shortest FROM kernel"]).stdout)
        self.assertGreater(rows[0]["n"], 100)
        self.assertGreaterEqual(rows[0]["shortest"], 0)

    def test_query_says_what_nccl_made_of_each_call(self):
        rows = json.loads(lab.run([lab.RINGSIDE, "query", self.directory, "--format", "json", """
            SELECT api.text AS call, a.text AS algorithm, p.text AS protocol, count(*) AS n FROM collective_call AS c
              JOIN string AS api ON api.process_id = c.process_id AND api.id = c.api_id
              LEFT JOIN nccl_operation AS o ON o.process_id = c.process_id AND o.call_id = c.id
              LEFT JOIN string AS a ON a.process_id = o.process_id AND a.id = o.algorithm_id
              LEFT JOIN string AS p ON p.process_id = o.process_id AND p.id = o.protocol_id
              GROUP BY 1, 2, 3 ORDER BY n DESC"""]).stdout)
        self.assertEqual({(row["algorithm"], row["protocol"]) for row in rows}, {("RING", "SIMPLE")})  # emulated
        self.assertIn("ncclAllReduce", [row["call"] for row in rows])

    def test_a_wrong_query_is_a_usage_error_that_names_the_place(self):
        done = lab.run([lab.RINGSIDE, "query", self.directory, "SELECT nonsense FROM kernel"], expect=2)
        self.assertIn("nonsense", done.stderr)

    def test_a_file_that_is_no_trace_is_refused(self):
        stranger = self.folder / "stranger.db"
        stranger.write_text("not a trace\n" * 1000)
        self.assertIn("stranger.db", lab.run([lab.RINGSIDE, "report", stranger], expect=3).stderr)


if __name__ == "__main__":
    lab.main()
