# SPDX-License-Identifier: Apache-2.0
"""Snapshots of PyTorch's allocator, pickled by Python from a simulated allocator: what the report says of memory is what is true
of it, at the snapshot, at the peak and at an out-of-memory."""

import json
import pickle

import lab
from memory_snapshots import PLACES, Allocator, OutOfMemory, train

MiB = 1 << 20


class MemorySnapshot(lab.Scenario):
    def setUp(self):
        self.snapshots = self.folder / self._testMethodName
        self.snapshots.mkdir()

    def write(self, rank, allocator, protocol=None):
        (self.snapshots / f"rank{rank}_memory_snapshot.pickle").write_bytes(pickle.dumps(allocator.snapshot(), protocol=protocol))

    def memory(self):
        rows = lab.report(self.snapshots)["memory"]
        return {(row["rank"], row["device"], row["moment"]): row for row in rows}

    def held(self, row):
        places = {}
        for holder in row["holders"]:
            places[holder["place"]] = places.get(holder["place"], 0) + holder["bytes"]
        self.assertEqual(row["other_bytes"], 0)
        return places

    def expect(self, row, truth, of_everything=True):
        held, reserved = truth
        self.assertEqual(row["requested_bytes"], sum(held.values()))
        self.assertEqual(row["reserved_bytes"], reserved)
        if of_everything:
            self.assertEqual(self.held(row), {PLACES[place]: size for place, size in held.items()})

    def test_peak_and_snapshot_by_rank_and_place(self):
        allocators = {}
        for rank, protocol in enumerate((2, 3, 4, 5)):
            allocators[rank] = allocator = Allocator(capacity=1 << 40, device=rank)
            train(allocator, self.draw, steps=7)
            self.write(rank, allocator, protocol)
        memory = self.memory()
        for rank, allocator in allocators.items():
            self.expect(memory[rank, rank, "peak"], allocator.peak())
            now = memory[rank, rank, "snapshot"]
            self.expect(now, ({place: size for place, size in allocator.held.items() if size}, allocator.reserved[-1]))
            blocks = [block for segment in allocator.segments for block in segment["blocks"]]
            self.assertEqual(now["allocated_bytes"], sum(block["size"] for block in blocks if block["live"]))
            self.assertEqual(now["largest_free_bytes"], max((block["size"] for block in blocks if not block["live"]), default=0))
            self.assertEqual(now["inactive_split_bytes"], sum(
                block["size"] for segment in allocator.segments for block in segment["blocks"]
                if len(segment["blocks"]) > 1 and not block["live"]))
            self.assertNotIn((rank, rank, "out_of_memory"), memory)

    def test_out_of_memory(self):
        allocator = Allocator(capacity=400 * MiB)
        with self.assertRaises(OutOfMemory):
            train(allocator, self.draw, steps=200, grow=5 * MiB)
        self.write(0, allocator)
        row = self.memory()[0, 0, "out_of_memory"]
        self.expect(row, allocator.at_failure())
        self.assertEqual((row["failed_bytes"], row["device_free_bytes"]), allocator.failed[1:])
        self.assertIsNotNone(row["largest_free_bytes"], "nothing changed since")
        self.assertLess(row["largest_free_bytes"], row["failed_bytes"])
        # A program that goes on frees what it held, so that the sizes of free blocks are not those of then.
        for address in list(allocator.live):
            allocator.free(address)
        self.write(0, allocator)
        row = self.memory()[0, 0, "out_of_memory"]
        self.expect(row, allocator.at_failure())
        self.assertIsNone(row["largest_free_bytes"])
        advice = self.finding(lab.report(self.snapshots), "out_of_memory", ranks=[0])["advice"]
        self.assertIn(f"was held by what {PLACES['cache']} allocated", advice)

    def test_events_that_were_dropped_make_places_unknown_and_no_size_wrong(self):
        allocator = Allocator(capacity=1 << 40, events=60)
        train(allocator, self.draw, steps=7)
        self.write(0, allocator)
        peak = self.memory()[0, 0, "peak"]
        self.expect(peak, allocator.peak(), of_everything=False)
        truth = {PLACES[place]: size for place, size in allocator.peak()[0].items()}
        for place, size in self.held(peak).items():
            self.assertLessEqual(size, truth.get(place, peak["requested_bytes"] if place is None else 0), place)
        self.assertEqual(peak["events"], sum(each["action"] != "free_requested" for each in allocator.events[-60:]))

    def test_categories_that_the_program_gave(self):
        allocator = Allocator(capacity=1 << 40)
        train(allocator, self.draw, steps=2)
        self.write(0, allocator)
        peak = self.memory()[0, 0, "peak"]
        self.assertEqual({holder["place"] for holder in peak["holders"] if holder["category"] == "forward"},
                         {PLACES["activations"]} if allocator.peak()[0].get("activations") else set())

    def test_text_and_page_say_the_same(self):
        allocator = Allocator(capacity=400 * MiB)
        with self.assertRaises(OutOfMemory):
            train(allocator, self.draw, steps=200, grow=5 * MiB)
        self.write(3, allocator)
        text = lab.run([lab.RINGSIDE, "report", self.snapshots]).stdout
        page = lab.run([lab.RINGSIDE, "report", "--format", "html", self.snapshots]).stdout
        for each in (text, page):
            self.assertIn("when an allocation failed", each)
            self.assertIn("job/data.py:7 keep", each)
        self.assertIn("Rank 3, GPU 0, when an allocation failed", text)

    def test_an_imported_run_says_the_same(self):
        allocator = Allocator(capacity=1 << 40)
        train(allocator, self.draw, steps=3)
        self.write(0, allocator)
        run = self.folder / "memory.ringside"
        lab.run([lab.RINGSIDE, "import", self.snapshots, "-o", run])
        self.assertEqual(lab.report(run)["memory"], lab.report(self.snapshots)["memory"])

    def test_a_pickle_is_never_executed(self):
        class Bomb:
            def __reduce__(self):
                return (print, ("executed",))

        path = self.snapshots / "rank0.pickle"
        path.write_bytes(pickle.dumps({"device_traces": Bomb(), "segments": []}))
        refused = lab.run([lab.RINGSIDE, "report", path], expect=3)
        self.assertIn("would run code", refused.stderr)
        self.assertNotIn("executed\n", refused.stdout + refused.stderr)


if __name__ == "__main__":
    lab.main()
