# SPDX-License-Identifier: Apache-2.0
"""A collector that loads and records nothing, for tests of what `ringside record` does around it."""

import os
import subprocess


def make(path):
    subprocess.run(["cc", "-shared", "-x", "c", "-o", path, os.devnull], check=True)
    return path
