#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the #include lines against rooms.txt, the list of rooms and of what each may use, and refuses circles: of rooms, of the
window's folders, and of units, where a unit is the .h and the .cpp of one name.

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


def read_includes(root, rooms):
    """{path: paths that it includes} of all sources of the top folders of the rooms."""
    includes = {}
    for top in sorted({folders[0].split("/")[0] for folders, _, _ in rooms.values()}):
        for source in sorted((root / top).rglob("*")):
            if source.suffix in SOURCES:
                targets = (included_file(root, source, name) for name in INCLUDE.findall(source.read_text(errors="replace")))
                includes[source.relative_to(root).as_posix()] = [target for target in targets if target]
    return includes


def arrows_between(includes, rooms):
    """{(room, used room): [one "file includes header" a line]}."""
    arrows = {}
    for path, targets in includes.items():
        room = room_of(rooms, path)
        for target in targets:
            used = room_of(rooms, target)
            if None not in (room, used) and used != room:
                arrows.setdefault((room, used), []).append(f"{path} includes {target}")
    return arrows


def graph_of(includes, name_of):
    """{name: names that it includes}, where files of the same name are one."""
    graph = {}
    for path, targets in includes.items():
        graph.setdefault(name_of(path), set()).update(name_of(target) for target in targets)
    return {name: sorted(used - {name}) for name, used in graph.items()}


def find_circle(graph):
    """Names that use each other in a circle; empty: none."""
    done, path = set(), []

    def visit(name):
        if name in path:
            return path[path.index(name):] + [name]
        if name in done or name not in graph:
            return []
        path.append(name)
        for used in graph[name]:
            if circle := visit(used):
                return circle
        path.pop()
        done.add(name)
        return []

    return next((circle for name in graph if (circle := visit(name))), [])


def find_faults(root, rooms):
    includes = read_includes(root, rooms)
    arrows = arrows_between(includes, rooms)
    faults = [f"{path} lies in no room: add its folder to tests/structure/rooms.txt" for path in includes if room_of(rooms, path) is None]
    for (room, used), places in sorted(arrows.items()):
        if used not in rooms[room][1]:
            faults += [f"{place}: {room} may not use {used}" for place in places]
    for room, (_, uses, _) in rooms.items():
        faults += [f"{room} may use {used}, but does not: take that out of tests/structure/rooms.txt"
                   for used in uses if (room, used) not in arrows]
    rooms_used = {room: uses for room, (_, uses, _) in rooms.items()}
    units = graph_of(includes, lambda path: path.rsplit(".", 1)[0])
    # Folders of the window are its layers. In the analyzer a registry's interface lies beside its entries, which use a folder below.
    folders = graph_of({path: targets for path, targets in includes.items() if path.startswith("gui/")},
                       lambda path: path.rsplit("/", 1)[0])
    for what, graph in (("rooms", rooms_used), ("units", units), ("folders", folders)):
        if circle := find_circle(graph):
            faults.append(f"a circle of {what}: " + " -> ".join(circle))
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
