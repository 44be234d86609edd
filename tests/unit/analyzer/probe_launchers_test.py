# SPDX-License-Identifier: Apache-2.0
"""Launchers of `ringside probe` that fail or hang, on this machine: probe_launchers_test.py RINGSIDE."""

import json
import subprocess
import sys
import unittest

RINGSIDE = sys.argv.pop(1)
HERE = "env"  # starts the agent on this machine
FAILS = "sh -c 'exit 7' #"
HANGS = "sleep 3 #"


def probe(*launchers, patience="2", expect=0, arguments=()):
    words = [word for launcher in launchers for word in ("--hosts", launcher)]
    done = subprocess.run([RINGSIDE, "probe", "--leader", "127.0.0.1", "--mib", "1", "--patience", patience, "--format", "json", *words, *arguments],
                          text=True, capture_output=True, timeout=60)
    assert done.returncode == expect, (done.returncode, done.stdout, done.stderr)
    return json.loads(done.stdout) if expect < 2 else done.stderr


class Launchers(unittest.TestCase):
    def test_a_host_whose_launcher_fails_is_left_out_and_named(self):
        found = probe(HERE, FAILS, HERE, patience="600")  # far longer than this test waits for the command
        self.assertEqual(len(found["hosts"]), 2)
        self.assertEqual(found["left_out"], [{"what": FAILS, "reason": "ended with code 7"}])
        self.assertTrue(all(each["gbps"] for each in found["directions"]))

    def test_a_launcher_that_hangs_is_waited_for_and_then_named(self):
        found = probe(HERE, HANGS, HERE)
        self.assertEqual(found["left_out"], [{"what": HANGS, "reason": "no answer within 2 s"}])

    def test_a_host_that_is_missing_fails_the_gate(self):
        probe(HERE, FAILS, HERE, expect=1, arguments=("--fail-on-outlier",))

    def test_a_single_host_is_no_network(self):
        said = probe(HERE, FAILS, patience="600", expect=3)
        self.assertIn("one answered, and two hosts are needed", said)
        self.assertIn("ended with code 7", said)

    def test_a_launcher_for_several_hosts_that_fails_ends_the_wait(self):
        self.assertIn("ended with code 7", probe(FAILS, patience="600", expect=3, arguments=("--count", "4")))

    def test_all_hosts_are_there(self):
        self.assertEqual(probe(HERE, HERE)["left_out"], [])


if __name__ == "__main__":
    unittest.main()
