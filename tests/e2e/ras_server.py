# SPDX-License-Identifier: Apache-2.0
"""Speaks the protocol of NCCL's RAS as src/ras/client_support.cc does: that of NCCL 2.28.7 and newer with JSON, or the text of 2.24
to 2.27. Each connection gets the answer that `counts` gives at that moment."""

import json
import socketserver
import threading

HASH = 0x1a2b3c4d5e6f7081
HOST = "10.0.0.1"


def json_answer(launched, pids):
    """`launched`: {rank: number of all-reduces}; a rank with None does not answer."""
    def rank(number, status, **more):
        return {"rank": number, "host": HOST, "pid": pids[number], "cuda_dev": number, "nvml_dev": number, "status": status, **more}

    running = {"init_state": 0, "async_error": 0, "finalize_called": False, "destroy_flag": False, "abort_flag": False}
    ranks = [rank(number, running, collective_counts={"Broadcast": 1, "Reduce": 0, "AllGather": 0, "ReduceScatter": 0, "AllReduce": count})
             for number, count in sorted(launched.items()) if count is not None]
    missing = [rank(number, {"unresponsive": True, "considered_dead": False}) for number, count in launched.items() if count is None]
    communicator = {"hash": f"0x{HASH:x}", "secondary_hash": "0x1:0x2", "size": len(launched), "ranks_count": len(ranks),
                    "missing_ranks_count": len(missing), "ranks": ranks, "missing_ranks": missing}
    return json.dumps({"nccl_version": "2.28.9", "cuda_runtime_version": 13000, "cuda_driver_version": 13000,
                       "timestamp": "2026-11-26 03:00:00", "communicators_count": 1, "communicators": [communicator],
                       "ras": {"collection_time_sec": 0.001, "timeouts_count": 0}}, indent=2) + "\n"


def text_answer(launched, pids):
    """The verbose text: of ranks that launched equally many, those are listed that are less than half of all."""
    where = {rank: f"GPU {rank} managed by process {pid} on node {HOST}" for rank, pid in pids.items()}
    lines = ["NCCL version 2.27.5 compiled with CUDA 12.9", "CUDA runtime version 12090, driver version 12090", "", "Job summary",
             "===========", "", "  Nodes  Processes         GPUs  Processes     GPUs", "(total)   per node  per process    (total)  (total)",
             f"      1  {len(launched):9}            1  {len(launched):9}  {len(launched):7}", "", "Communicators... (0.00s)",
             "=============", "", "Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors",
             "    #  in group  per comm  per node  per comm  in group",
             f"    0         1         1  {len(launched):8}  {len(launched):8}  {len(launched):8}   RUNNING  MISMATCH", "", "Errors", "======", ""]
    silent = [rank for rank, count in launched.items() if count is None]
    if silent:
        lines += ["INCOMPLETE", f"  Missing communicator data from {len(silent)} job process{'es' * (len(silent) > 1)}"]
        lines += [f"  Process {pids[rank]} on node {HOST} managing GPU {rank}" for rank in silent] + [""]
        lines += [f"#0-0 ({HASH:016x}) INCOMPLETE", f"  Missing communicator data from {len(silent)} rank{'s' * (len(silent) > 1)}"]
        lines += [f"  Rank {rank} -- {where[rank]}" for rank in silent] + [""]
    lines += ["Warnings", "========", ""]
    counts = sorted({count for count in launched.values() if count is not None})
    if len(counts) > 1:
        lines += [f"#0-0 ({HASH:016x}) MISMATCH", "  Communicator ranks have different AllReduce operation counts"]
        groups = [(count, [rank for rank in launched if launched[rank] == count]) for count in counts]
        for count, ranks in sorted(groups, key=lambda group: -len(group[1])):
            did = f"launched up to operation {count}" if count else "not launched any operations"
            if len(ranks) == 1:
                lines.append(f"  Rank {ranks[0]} has {did} -- {where[ranks[0]]}")
                continue
            lines.append(f"  {len(ranks)} ranks have {did}")
            if len(ranks) < len(launched) / 2:
                lines += [f"  Rank {rank} -- {where[rank]}" for rank in ranks]
        lines.append("")
    return "\n".join(lines) + "\n"


class Conversation(socketserver.StreamRequestHandler):
    def handle(self):
        form = "text"
        for line in self.rfile:
            command = line.decode().strip().lower()
            if command.startswith("client protocol "):
                self.wfile.write(b"SERVER PROTOCOL 2\n")
            elif command == "set format json" and self.server.knows_json:
                form = "json"
                self.wfile.write(b"OK\n")
            elif command == "verbose status":
                launched, pids = self.server.counts()
                self.wfile.write((json_answer if form == "json" else text_answer)(launched, pids).encode())
                self.server.answered += 1
                return  # RAS closes the connection after it
            else:
                self.wfile.write(f"ERROR: Unknown command {command}\n".encode())


class RasServer(socketserver.ThreadingTCPServer):
    """Listens on a free port of the loopback until it is closed."""

    daemon_threads = True

    def __init__(self, counts, knows_json=True):
        super().__init__(("127.0.0.1", 0), Conversation)
        self.counts, self.knows_json, self.answered = counts, knows_json, 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"localhost:{self.server_address[1]}"

    def close(self):
        self.shutdown()
        self.server_close()
