#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the #include lines against rooms.txt, the list of rooms and of what each may use.

check_rooms.py ROOT           prints what breaks the list and exits with 1; else 0
check_rooms.py ROOT --write   writes the picture between the marks in docs/architecture.md, from the list"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)
SOURCES = {".h", ".cpp", ".def", ".cu", ".cuh", ".in"}
BEGIN, END = "<!-- rooms: written by tests/structure/check_rooms.py -->\n", "<!-- end of rooms -->\n"
# Folders that headers are looked for in, beside the including file's own.
SEARCHED = ["", "collector", "collector/include", "analyzer", "analyzer/include", "gui", "gui/app", "reference_trainer", "reference_trainer/src",
            "reference_trainer/cpu_platform", "reference_trainer/cpu_platform/include"]


def read_rooms(path):
    """{room: (folders, may use, what it holds)} of lines `room = folders : rooms it may use : what it holds`."""
    rooms = {}
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            names, uses, holds = (part.strip() for part in line.split(":", 2))
            room, _, folders = (part.strip() for part in names.partition("="))
            rooms[room] = ((folders or room).split(), uses.split(), holds)
    return rooms


def room_of(rooms, path):
    """The room with the longest folder that `path` lies in; None: it lies in no room."""
    matches = [(len(folder), room) for room, (folders, _, _) in rooms.items() for folder in folders
               if path.startswith(folder + "/")]
    return max(matches)[1] if matches else None


def included_file(root, source, name):
    for folder in [source.parent, *(root / folder for folder in SEARCHED)]:
        candidate = (folder / name).resolve()
        if candidate.is_file() and candidate.is_relative_to(root):
            return candidate.relative_to(root).as_posix()
    return None  # the system's, or generated


def read_arrows(root, rooms):
    """{(room, used room): [one "file includes header" a line]} and the files that lie in no room."""
    arrows, homeless = {}, []
    for top in sorted({folders[0].split("/")[0] for folders, _, _ in rooms.values()}):
        for source in sorted((root / top).rglob("*")):
            if source.suffix not in SOURCES:
                continue
            path = source.relative_to(root).as_posix()
            room = room_of(rooms, path)
            if room is None:
                homeless.append(path)
                continue
            for name in INCLUDE.findall(source.read_text(errors="replace")):
                target = included_file(root, source, name)
                used = room_of(rooms, target) if target else None
                if used not in (None, room):
                    arrows.setdefault((room, used), []).append(f"{path} includes {target}")
    return arrows, homeless


def find_circle(rooms):
    """Rooms that use each other in a circle, as the list allows it; empty: none."""
    done, path = set(), []

    def visit(room):
        if room in path:
            return path[path.index(room):] + [room]
        if room in done or room not in rooms:
            return []
        path.append(room)
        for used in rooms[room][1]:
            if circle := visit(used):
                return circle
        path.pop()
        done.add(room)
        return []

    return next((circle for room in rooms if (circle := visit(room))), [])


def find_faults(root, rooms):
    arrows, homeless = read_arrows(root, rooms)
    faults = [f"{path} lies in no room: add its folder to tests/structure/rooms.txt" for path in homeless]
    for (room, used), places in sorted(arrows.items()):
        if used not in rooms[room][1]:
            faults += [f"{place}: {room} may not use {used}" for place in places]
    for room, (_, uses, _) in rooms.items():
        faults += [f"{room} may use {used}, but does not: take that out of tests/structure/rooms.txt"
                   for used in uses if (room, used) not in arrows]
    if circle := find_circle(rooms):
        faults.append("a circle: " + " -> ".join(circle))
    return faults


def read_targets(path):
    """{room: (limit, goal)} of lines `room limit goal`."""
    rows = (line.split() for line in path.read_text().splitlines() if line.strip() and not line.startswith("#"))
    return {room: (int(limit), int(goal)) for room, limit, goal in rows}


def heights(rooms):
    """{room: longest way down to a room that uses none}."""
    known = {}

    def height(room):
        if room not in known:
            known[room] = 1 + max((height(used) for used in rooms[room][1]), default=-1)
        return known[room]

    return {room: height(room) for room in rooms}


def picture(rooms, targets):
    """A Mermaid picture without the arrows that follow from others, and a table with all of them. `targets`: {room: (limit, goal)} in lines."""

    def reach(room):
        return set(rooms[room][1]).union(*(reach(used) for used in rooms[room][1]))

    lines = ["```mermaid", "flowchart TD"]
    for top in dict.fromkeys(room.split("/")[0] for room in rooms):
        lines.append(f"  subgraph {top}_rooms [{top}]")
        lines += [f"    {room.replace('/', '_')}[{room.split('/', 1)[-1]}]" for room in rooms if room.split("/")[0] == top]
        lines.append("  end")
    for room, (_, uses, _) in rooms.items():
        follows = set().union(*(reach(used) for used in uses))
        lines += [f"  {room.replace('/', '_')} --> {used.replace('/', '_')}" for used in uses if used not in follows]
    lines += ["```", "", "| room | holds | may use | lines, at most | goal |", "|---|---|---|---|---|"]
    level = heights(rooms)
    for room in sorted(rooms, key=lambda name: (name.split("/")[0] != "collector", level[name], name)):
        folders, uses, holds = rooms[room]
        limit, goal = targets[room]
        lines.append(f"| `{room}/` | {holds} | {', '.join(sorted(uses)) or 'no other room'} | {limit} | {goal} |")
    return "\n".join(lines) + "\n"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    rooms = read_rooms(root / "tests/structure/rooms.txt")
    targets = read_targets(root / "tests/structure/lines.txt")
    faults = find_faults(root, rooms)
    faults += [f"{room} has no target: add it to tests/structure/lines.txt, see check_lines.py" for room in rooms if room not in targets]
    document = root / "docs/architecture.md"
    text = document.read_text() if document.exists() else ""
    if BEGIN not in text or END not in text:
        faults.append(f"docs/architecture.md lacks the marks {BEGIN.strip()} and {END.strip()}")
    elif not faults:
        before, after = text.split(BEGIN)[0], text.split(END)[1]
        wanted = before + BEGIN + picture(rooms, targets) + END + after
        if "--write" in sys.argv:
            document.write_text(wanted)
        elif wanted != text:
            faults.append("docs/architecture.md shows other rooms or targets than tests/structure/rooms.txt and lines.txt: run "
                          "python3 tests/structure/check_rooms.py . --write")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
