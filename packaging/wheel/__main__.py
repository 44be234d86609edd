# SPDX-License-Identifier: Apache-2.0
"""`ringside` and `python -m ringside`: the program that lies in this package."""

import os
import pathlib
import sys


def main():
    program = pathlib.Path(__file__).resolve().parent / "bin" / "ringside"
    os.execv(program, ["ringside", *sys.argv[1:]])


if __name__ == "__main__":
    main()
