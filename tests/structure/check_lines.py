#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the lines of each room outside tests and holds them against lines.txt.

check_lines.py ROOT           prints lines, limit and goal of each room; exits with 1 if a room is larger than its limit by more than 2 %
check_lines.py ROOT --write   sets the limit of each room that has become smaller to its lines; the goals stay"""

import pathlib
import subprocess
import sys

from check_rooms import SOURCES, read_rooms, read_targets, room_of

TOLERANCE = 0.02


def tracked_files(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True)
    if listed.returncode == 0:
        return [name for name in listed.stdout.splitlines() if (root / name).is_file()]
    return [path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()]


def count_lines(root, rooms):
    """{room: lines} of the sources of every room; a file in none counts for its first folder."""
    counts = {}
    tops = {room.split("/")[0] for room in rooms}
    for name in tracked_files(root):
        if name.split("/")[0] in tops and pathlib.PurePath(name).suffix in SOURCES:
            room = room_of(rooms, name) or name.split("/")[0]
            counts[room] = counts.get(room, 0) + len((root / name).read_bytes().splitlines())
    return counts


def rooms_with_trainer(root):
    """The rooms of rooms.txt, and those of the trainer, which uses none of them."""
    rooms = read_rooms(root / "tests/structure/rooms.txt")
    for room in ("reference_trainer", "reference_trainer/cpu_platform"):
        rooms.setdefault(room, ([room], [], ""))
    return rooms


def find_faults(counts, targets):
    faults = [f"{room} has no row in tests/structure/lines.txt: add `{room} {counts[room]} {counts[room]}`, and lower the row that it came from"
              for room in counts if room not in targets]
    faults += [f"{room} has a row in tests/structure/lines.txt and no files: take it out" for room in targets if room not in counts]
    for room, (limit, _) in targets.items():
        if counts.get(room, 0) > limit * (1 + TOLERANCE):
            faults.append(f"{room} has {counts[room]} lines, more than its {limit} and 2 %: merge what is said twice, or raise its limit in "
                          "tests/structure/lines.txt and say why in the commit")
    return faults


def table(counts, targets):
    lines = [f"{'lines':>7} {'limit':>7} {'goal':>7}  room"]
    for room in sorted(counts):
        limit, goal = targets.get(room, (0, 0))
        lines.append(f"{counts[room]:7} {limit:7} {goal:7}  {room}")
    for top in dict.fromkeys(room.split("/")[0] for room in sorted(counts)):
        mine = [room for room in counts if room.split("/")[0] == top]
        sums = [sum(targets.get(room, (0, 0))[column] for room in mine) for column in (0, 1)]
        lines.append(f"{sum(counts[room] for room in mine):7} {sums[0]:7} {sums[1]:7}  all of {top}")
    return "\n".join(lines)


def write(path, counts, targets):
    head = [line for line in path.read_text().splitlines() if line.startswith("#")]
    rows = [f"{room} {min(limit, counts.get(room, limit))} {goal}" for room, (limit, goal) in sorted(targets.items())]
    path.write_text("\n".join(head + rows) + "\n")


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    path = root / "tests/structure/lines.txt"
    counts, targets = count_lines(root, rooms_with_trainer(root)), read_targets(path)
    if "--write" in sys.argv:
        write(path, counts, targets)
        targets = read_targets(path)
    print(table(counts, targets))
    faults = find_faults(counts, targets)
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
