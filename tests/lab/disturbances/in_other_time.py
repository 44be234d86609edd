# SPDX-License-Identifier: Apache-2.0
"""in_other_time.py OFFSET_NS DRIFT_PPM SINCE_NS LIBRARY COMMAND...: runs a command whose CLOCK_MONOTONIC is shifted by the kernel
(a time namespace) and drifts from SINCE_NS on (planted_clock.cpp, preloaded). Needs root."""

import ctypes
import os
import subprocess
import sys

CLONE_NEWTIME = 0x80
NS_A_SECOND = 1_000_000_000

offset_ns, since_ns = int(sys.argv[1]), int(sys.argv[3])
libc = ctypes.CDLL(None, use_errno=True)
if libc.unshare(CLONE_NEWTIME) != 0:
    sys.exit(f"no time namespace: {os.strerror(ctypes.get_errno())}")
seconds, ns = divmod(offset_ns, NS_A_SECOND)
for clock in ("monotonic", "boottime"):
    with open("/proc/self/timens_offsets", "w") as file:
        file.write(f"{clock} {seconds} {ns}\n")
environment = {**os.environ, "LD_PRELOAD": sys.argv[4], "RINGSIDE_LAB_CLOCK_DRIFT_PPM": sys.argv[2],
               "RINGSIDE_LAB_CLOCK_ANCHOR_NS": str(since_ns + offset_ns)}
sys.exit(subprocess.run(sys.argv[5:], env=environment).returncode)
