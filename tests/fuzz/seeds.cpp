// SPDX-License-Identifier: Apache-2.0
// Makes the corpus: small traces and rings that reach every decoder. fuzz_seeds DIRECTORY
#include "memory_dump.h"
#include "reduce/reduce.h"
#include "ring_builder.h"
#include "rocprof_file.h"
#include "support/nsys_export.h"
#include "support/trace_builder.h"
#include "xplane_file.h"

#include <ringside/trace/merge.h>

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>

namespace {

using namespace ringside::test;
using namespace ringside::trace;

void writeTraces(const std::filesystem::path& folder)
{
    TraceBuilder builder(1);
    builder.setting("environment", "NCCL_ALGO", "Ring");
    builder.steps(3, [](StepBuilder& step) {
        step.everyRank().host(1ms, "data").compute(3ms, {.launches = 5}).copy(1_MiB, 100us);
        step.allReduce(4_MiB);
    });
    builder.write(folder);
    TraceBuilder(1).host(0, "empty").write(folder);
    TraceBuilder events(1);
    events.host(0, "events").withCudaEvents().steps(3, [](StepBuilder& step) { step.allReduce(4_MiB); });
    events.write(folder);
}

/// One file of two ranks on two hosts, the second one late: what a report needs to reach its rules.
void writeMergedRun(const std::filesystem::path& folder)
{
    TraceBuilder builder(2);
    builder.host(1, "host1", 5ms, 20);
    builder.steps(12, [](StepBuilder& step) {
        step.everyRank().host(1ms, "data").compute(2ms).copy(1_MiB, 100us);
        step.rank(1).compute(1ms);
        step.allReduce(256_KiB, {.takes = 300us, .overlapped = true});
        step.allReduce(1_MiB, {.takes = 500us});
        step.everyRank().synchronize();
    });
    // The second rank stays in its last call.
    ProcessTrace& stuck = builder.process(1);
    stuck.inFlight.push_back({1, stuck.collectiveCalls.back().api, 1, stuck.collectiveCalls.back().sequence,
                              100, stuck.collectiveCalls.back().startNs, std::nullopt, std::nullopt});
    stuck.inFlight.push_back(stuck.inFlight.back());
    stuck.inFlight.back().hang = 1;
    stuck.collectiveCalls.pop_back();
    stuck.hangs.push_back(
        {1, stuck.inFlight.back().startNs + 1, stuck.inFlight.back().startNs, std::nullopt, "in a call"});
    stuck.stacks.push_back({"native", 1, 5, stuck.process.pid, 0, "train", "poll+0x1 (libc.so.6)"});
    const std::filesystem::path run = folder / "run.ringside";
    builder.write(run);
    ringside::trace::merge(run, folder / "merged.db");
    std::filesystem::remove_all(run);
}

/// A summary, which a report reads and which is not reduced again.
void writeSummary(const std::filesystem::path& traces, const std::filesystem::path& folder)
{
    namespace reduce = ringside::reduce;
    reduce::reduceHost(reduce::hostsOf(traces / "merged.db").front(), {folder, reduce::kDefaultSteps});
    std::filesystem::copy_file(folder / "host0.summary.db", traces / "summary.db");
}

void writeFlightRecorder(const std::filesystem::path& folder)
{
    std::filesystem::create_directories(folder);
    nlohmann::ordered_json send = flightEntry(1, "scheduled", "nccl:send 0->1");
    send["is_p2p"] = true;
    nlohmann::ordered_json summary = send;
    summary["profiling_name"] = "nccl:coalesced";
    summary["duration_ms"] = 0.5;
    nlohmann::ordered_json timedOut = flightEntry(2, "started", "nccl:_reduce_scatter_base");
    timedOut["retired"] = true;
    const auto dump =
        flightDump(nlohmann::ordered_json::array({flightEntry(1, "completed"), send, summary, timedOut}));
    std::ofstream(folder / "json", std::ios::binary) << dump.dump();
    std::ofstream(folder / "pickle", std::ios::binary) << PickleText::of(dump);
    // What Python's own pickler writes: frames, short strings, tuples, a memo without numbers.
    constexpr char kPython[] = "\x80\x04\x95\x20\0\0\0\0\0\0\0}\x94(\x8c\x09pg_config\x94}\x94\x8c\x07"
                               "entries\x94]\x94(K\x01K\x02\x86\x94h\x01"
                               "eu.";
    std::ofstream(folder / "python", std::ios::binary).write(kPython, sizeof kPython - 1);
}

void writeMemorySnapshot(const std::filesystem::path& folder)
{
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "whole", std::ios::binary) << PickleText::of(memoryDump());
    std::ofstream(folder / "segments", std::ios::binary) << PickleText::of(memoryDump()["segments"]);
}

void writeWatchdogLog(const std::filesystem::path& folder)
{
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "job", std::ios::binary)
        << R"([rank0]:[E1128 10:04:10.204117 ProcessGroupNCCL.cpp:629] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE, NumelIn=4, NumelOut=4, Timeout(ms)=600000) ran for 600040 milliseconds before timing out.
[rank0]:[E1128 10:04:10.204118 ProcessGroupNCCL.cpp:1785] [PG ID 0 PG GUID 0(default_pg) Rank 0] Exception (either an error or timeout) detected by watchdog at work: 7, last enqueued NCCL work: 9, last completed NCCL work: 6.
[rank1]:[E1128 10:04:11.5 ProcessGroupNCCL.cpp:1664] [PG 0 Rank 1] Timeout at NCCL work: 6, last enqueued NCCL work: 6, last completed NCCL work: -1.
)";
}

void writeNcclLog(const std::filesystem::path& folder)
{
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "job", std::ios::binary) << R"(NCCL version 2.28.9+cuda13.0
a:1:2 [0] NCCL INFO NCCL_IB_TIMEOUT set by environment to 22.
a:1:2 [0] NCCL INFO [Rank 0] ncclCommInitRank comm 0x5 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 5000 commId 0xab - Init START
a:1:2 [0] NCCL INFO Channel 00/02 :    0   1
a:1:2 [0] NCCL INFO Trees [0] 1/-1/-1->0->-1
a:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] [send] via NET/IB/0(1)/GDRDMA
[2025-11-21 10:20:30] b:3:4 [1] NCCL INFO Channel 00 : 0[0]a:1:2 [0] NCCL INFO 2 coll channels, 0 nvls channels
a:1:2 [0] NCCL INFO ncclCommInitRank comm 0x5 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 5000 commId 0xab - Init COMPLETE
a:1:2 [0] NCCL INFO ncclCommSplit comm 0x6 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 5000 parent 0x5 childCount 1 color 0 key 0 - Init COMPLETE
a:1:2 [0] NCCL INFO AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x2 count 10 datatype 7 op 0 root 0 comm 0x5 [nranks=2] stream 0x3
a:1:2 [0] init.cc:12 (f) NCCL WARN it is broken
)";
}

void writeInspector(const std::filesystem::path& folder)
{
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "lines", std::ios::binary)
        << R"({"header":{"id":"0x7f8c49","comm_name":"unknown","rank":0,"n_ranks":2,"nnodes":1},"metadata":{"hostname":"a","pid":5,"dump_timestamp_us":1748030377748202},"coll_perf":{"coll":"AllReduce","coll_sn":1,"coll_msg_size_bytes":64,"coll_exec_time_us":10,"coll_timing_source":"kernel_gpu"}})"
        << '\n'
        << R"({"header":{"id":"0x7f8c49","rank":0,"n_ranks":2},"p2p_perf":{"p2p":"Send","p2p_sn":1,"p2p_peer":1,"p2p_msg_size_bytes":64,"p2p_exec_time_us":10,"event_trace_ts":{"p2p_start_ts":5}}})"
        << '\n';
}

void writeRings(const std::filesystem::path& folder)
{
    RingBuilder definitions(RingRole::Definitions, 1, 64, ClockKind::Tsc);
    definitions.text(1, "cudaMalloc").text(2, std::string(200, 'k'));
    definitions.add(RecordKind::Clock, ClockRecord{{}, 1000, 500, 0})
        .add(RecordKind::Clock, ClockRecord{{}, 2000, 1000, 0});
    definitions.add(RecordKind::Thread, ThreadRecord{{}, 2, 77, "worker"});
    definitions.add(RecordKind::Stream, StreamRecord{{}, 3, 0, 0x1234, 0});
    definitions.add(RecordKind::Communicator,
                    CommunicatorRecord{{}, 5, 0, 0xABC, 4, 2, 0, 1, 12, 0x99, 0, {}});
    definitions.save(folder / "definitions");
    RingBuilder thread(RingRole::Thread, 2, 32);
    const CallRecord call{{}, 100, 200, 1, 0};
    thread.add(RecordKind::Call, call).add(RecordKind::Memory, MemoryRecord{call, 4096, 3, 1, {}});
    thread.add(RecordKind::Collective, CollectiveRecord{call, 9, 0, 100, 10, 5, 3, -1, 7, 0, 0, {}});
    thread.add(RecordKind::GraphLaunch, GraphLaunchRecord{call, 11, 1, 1, 2, 5, 3, {}});
    thread.add(RecordKind::EventTime, EventTimeRecord{{}, 9, 110, 5, 60, 0, 3, 40, {}});
    thread.add(RecordKind::Group, GroupRecord{call, 10, 1, 150, 0});
    thread.add(RecordKind::Range, RangeRecord{{}, 1, 2, 1, 2, 8, 3, RangeFlavour::Mark, {}});
    thread.add(RecordKind::Step, StepRecord{{}, 5, 6, 42, {}});
    thread.header().inFlight[0].api = 1;
    thread.save(folder / "thread");
}

/// A small file of the PyTorch profiler with every kind of event, and a bare array.
/// Profiles of JAX: with every kind of plane, and one whose names are missing.
void writeXplane(const std::filesystem::path& folder)
{
    std::filesystem::create_directories(folder);
    XPlaneWriter copies("/device:GPU:1");
    copies.line(9, "Stream #9(MemcpyH2D)", 5000)
        .event("MemcpyH2D", 1, 20,
               {{{"correlation_id", 4}}, {{"memcpy_details", "kind_src:pageable size:4096"}}});
    copies.line(1, "Steps", 5000).event("3", 1, 50);
    std::ofstream(folder / "loop", std::ios::binary) << jaxProfile(1'771'595'639'214'724'894, 2);
    std::ofstream(folder / "copies", std::ios::binary) << xspace({copies.text(), copies.text(false)});
}

/// A file of rocprofv3 with a record of each kind.
void writeRocprof(const std::filesystem::path& folder)
{
    std::filesystem::create_directories(folder);
    RocprofFile file(4242);
    file.communication("ncclAllReduce", 1, 1000, 1100).call("hipExtLaunchKernel", 2, 1020, 1040);
    file.dispatch("ncclDevKernel_Generic_1", 2, 1200, 1500, 6).marker("iteration 3", 9, 900, 2000);
    file.copy("MEMORY_COPY_HOST_TO_DEVICE", 2, 1700, 1800, 4096);
    std::ofstream(folder / "records", std::ios::binary) << file.text();
}

void writeKineto(const std::filesystem::path& folder)
{
    const std::string events = R"([
  {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#3", "pid": 5, "tid": 6, "ts": 100.5, "dur": 900},
  {"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 5, "tid": 6, "ts": 190, "dur": 20, "args": {"External id": 1,
    "Collective name": "allreduce", "In msg nelems": 9, "Group size": 2, "dtype": "Float", "Process Group Ranks": "[0, 1]"}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 5, "tid": 6, "ts": 200, "dur": 4, "args": {"correlation": 1}},
  {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_\u00e4\"", "pid": 0, "tid": 7, "ts": 210.125, "dur": 30.5, "args": {
    "device": 0, "stream": 7, "correlation": 1, "grid": [1, 2, 3], "block": [640, 1, 1],
    "registers per thread": 96, "shared memory": 4096, "est. achieved occupancy %": 31, "Collective name": "allreduce", "In msg nelems": 9,
    "Out msg nelems": 9, "Group size": 2, "dtype": "Float", "Process Group Name": "0", "Process Group Ranks": "[0, 1]", "Seq": 4}},
  {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD", "pid": 0, "tid": 7, "ts": 250, "dur": 1e1, "args": {"stream": 7, "bytes": 64}},
  {"ph": "X", "cat": "python_function", "name": "a.py(1): f", "pid": 5, "tid": 6, "ts": 150, "dur": 90, "args": {"Python id": 1}},
  {"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 5, "tid": 6, "ts": 201, "args": {
    "Device Type": 1, "Device Id": 0, "Addr": 9, "Bytes": 512, "Total Allocated": 512, "Total Reserved": 1024}},
  {"ph": "B", "name": "a", "pid": 5, "tid": 6, "ts": 1}, {"ph": "E", "pid": 5, "tid": 6, "ts": 2},
  {"ph": "s", "id": 1, "pid": 5, "tid": 6, "ts": 200, "cat": "ac2g", "name": "ac2g"},
  {"name": "thread_name", "ph": "M", "ts": 0, "pid": 5, "tid": 6, "args": {"name": "main"}}
])";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "array") << events;
    std::ofstream(folder / "object")
        << R"({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "x", "totalGlobalMem": 1}], "traceEvents": )"
        << events
        << R"(, "distributedInfo": {"rank": 0, "world_size": 2, "pg_config": [{"pg_name": "0", "ranks": [0, 1]}]},)"
        << R"( "baseTimeNanoseconds": 1711964646000000000})";
}

/// Edits of a run (whatif.cpp), the questions first: none, one of each column, one of each kind of row.
void writeEdits(const std::filesystem::path& folder)
{
    std::filesystem::create_directories(folder);
    for (const int rows : {-1, 0, 1}) {
        std::string edits = {static_cast<char>(rows < 0 ? 0x05 : 0xA9), 7};
        for (char column = 0; rows >= 0 && column < 14; ++column) {
            edits += {static_cast<char>(rows == 0 ? 0x41 : 0xC1), column, 9, 0, 0, 0, 0, 1, 0, 0, 0, 0};
        }
        std::ofstream(folder / std::to_string(rows + 1)) << edits;
    }
}

/// Every file that the readers of other tools' output are tested with, and one of them twice.
void writeToolOutput(const std::filesystem::path& folder)
{
    std::filesystem::create_directories(folder);
    for (const auto& entry : std::filesystem::directory_iterator(RINGSIDE_TOOL_OUTPUT_FILES)) {
        std::filesystem::copy_file(entry.path(), folder / entry.path().filename());
    }
    const std::string extended = R"(# Port extended counters: Lid 2052 port 1 (CapMask: 0x5300)
PortSelect:......................1
PortXmitData:....................36298026860928
SymbolErrorCounter:..............4294967295
)";
    std::ofstream(folder / "two", std::ios::binary) << extended << '\0' << extended;
}

void writeNvidiaSmi(const std::filesystem::path& folder)
{
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "whole", std::ios::binary) << R"(<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">
<nvidia_smi_log><driver_version>550.54.15</driver_version><gpu id="00000000:C1:00.0"><product_name>GPU</product_name>
<persistence_mode>Enabled</persistence_mode><mig_mode/><fabric><state>Completed</state><status>N/A</status></fabric>
<pci><pci_gpu_link_info><link_widths><max_link_width>16x</max_link_width></link_widths></pci_gpu_link_info></pci>
<clocks_event_reasons><clocks_event_reason_hw_slowdown>Active</clocks_event_reason_hw_slowdown></clocks_event_reasons>
<ecc_errors><volatile><sram_uncorrectable>3</sram_uncorrectable><dram_uncorrectable>4</dram_uncorrectable></volatile></ecc_errors>
</gpu><gpu id="1:2"></gpu></nvidia_smi_log>)";
}

/// A line of each kind, to agents and to the leader.
void writeProbeMessages(const std::filesystem::path& folder)
{
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "lines", std::ios::binary)
        << R"({"token":"00","host":"a","interface":"eth0","address":"10.0.0.1","rdma":{"port":"mlx5_0:1","reason":""}}
{"do":"rdma_join","pair":4294967295,"sequence":5,"lid":7,"mtu":5,"gid":"fe80000000000000000000fffe000001","memory":9007199254740992,"key":1e99}
{"do":"measure","address":"10.0.0.2","port":65535,"bytes":1073741824,"milliseconds":100}
{"rdma":{"write_us":1.5,"write_p99_us":2,"gbps":390.5,"bytes":67108864,"lost":null}}
{"rdma":null,"reason":"no device"}
)";
}

/// Two looks at a job of two ranks: one rank is late, a port has errors; then one rank waits for the other.
/// The second file is a log of alarms.
void writeLiveSnapshots(const std::filesystem::path& folder)
{
    std::filesystem::create_directories(folder);
    const std::string step =
        R"({"id": 7, "number": 7, "source": "mark", "device": 0, "end_ms": 1799999999000, "step_ns": 100000000,)"
        R"( "device_step_ns": 100000000, "compute_ns": 60000000, "communication_ns": 30000000, "idle_ns": 9,)"
        R"( "exposed_communication_ns": 30000000, "exposed_copy_ns": 0, "launches": 5, "collectives": 3,)"
        R"( "blocking_ns": 4, "loading_ns": 1})";
    const std::string sample =
        R"({"source": "rdma", "entity": "mlx5_0/1", "metric": "symbol_errors", "value": 9, "first": 3, "at_ms": 4})";
    const auto process = [&](int rank, int sequence) {
        return fmt::format(
            R"({{"process": "a-{0}", "pid": {0}, "at_ms": 1800000000000, "level": "standard", "emulated": true,)"
            R"( "steps": 8, "ranks": [{{"rank": {0}, "world_size": 2, "device": 0}}],)"
            R"( "hang": {{"since_ms": 5, "reason": "x"}}, "calls": [{{"api": "ncclAllReduce", "communicator": "c",)"
            R"( "sequence": {1}, "since_ms": 1799999990000}}], "communicators": [{{"hash": "c", "rank": {0},)"
            R"( "size": 2, "sequence": {1}, "issued_ms": 1799999990000}}], "recent_steps": [{2}, {2}],)"
            R"( "samples": [{3}]}})",
            rank, sequence, step, sample);
    };
    const auto snapshot = [&](int sequence) {
        return fmt::format(R"({{"schema": "ringside-live/1", "host": "a", "written_ms": 1800000000000,)"
                           R"( "alarms": [{{"kind": "hang", "message": "m", "at_ms": 5, "rank": null}}],)"
                           R"( "processes": [{}, {}]}})",
                           process(0, 9), process(1, sequence));
    };
    std::ofstream(folder / "looks", std::ios::binary) << snapshot(9) << '\0' << snapshot(8);
    std::ofstream(folder / "log", std::ios::binary)
        << R"({"schema":"ringside-alarm/1","kind":"hang","state":"began","at_ms":5,"run":"r","rank":1,"message":"m"}
{"schema":"ringside-alarm/1","kind":"hang","state":"ended","at_ms":4,"run":"r","rank":1,"message":"m"}
)";
}

/// Answers of NCCL's RAS: JSON, and the text of older versions.
void writeDcgmTexts(const std::filesystem::path& folder)
{
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "exporter", std::ios::binary)
        << "# TYPE DCGM_FI_PROF_SM_ACTIVE gauge\n"
           "DCGM_FI_PROF_SM_ACTIVE{gpu=\"0\",pci_bus_id=\"00000000:1A:00.0\",modelName=\"a "
           "\\\"b\\\"\",Hostname=\"n1\"} "
           "0.98 1700000000000\n"
           "DCGM_FI_PROF_NVLINK_TX_BYTES{gpu=\"0\",Hostname=\"n1\"} 2.5e10\n";
    std::ofstream(folder / "child", std::ios::binary)
        << R"({"list": [{"index": 0, "name": "H100", "bus_id": "00000000:1A:00.0", "error": null, "power_mw": 700000,)"
           R"( "processes": [{"pid": 4711, "memory_bytes": null}]}], "reason": null})";
}

void writeRasAnswers(const std::filesystem::path& folder)
{
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "json", std::ios::binary)
        << R"({"nccl_version": "2.28.9", "communicators": [{"hash": "0x1a2b", "size": 3, "ranks": [)"
           R"({"rank": 0, "pid": 100, "collective_counts": {"AllReduce": 9, "Broadcast": 1}},)"
           R"({"rank": 1, "pid": 101, "collective_counts": {"AllReduce": 8, "Broadcast": 2}}],)"
           R"( "missing_ranks": [{"rank": 2, "pid": 102, "status": {"unresponsive": true}}]}]})";
    std::ofstream(folder / "text", std::ios::binary) << R"(NCCL version 2.27.5 compiled with CUDA 12.9

Errors
======

DEAD
  1 job process is considered dead (unreachable via the RAS network)
  Process 103 on node 10.0.0.1 managing GPU 3

#0-0 (0000000000001a2b) INCOMPLETE
  Missing communicator data from 1 rank
  Rank 2 -- GPU 2 managed by process 102 on node 10.0.0.1

Warnings
========

#0-0 (0000000000001a2b) MISMATCH
  Communicator ranks have different status
  Rank 1 has status FINALIZE -- GPU 1 managed by process 101 on node 10.0.0.1
  Communicator ranks have different AllReduce operation counts
  2 ranks have launched up to operation 9
  Rank 0 -- GPU 0 managed by process 100 on node 10.0.0.1
  Rank 1 has launched up to operation 8 -- [process information not found]
)";
}

/// A small export of Nsight Systems in each form, with payloads and with what a stranger may write.
void writeNsys(const std::filesystem::path& folder)
{
    std::filesystem::create_directories(folder);
    for (const NsysForm form : kNsysForms) {
        NsysExport nsys(folder / ("form" + std::to_string(static_cast<int>(form))), form, true);
        nsys.process(NsysExport::kPid).sessionStart(1'779'782'330'176'752'435).host("node1");
        nsys.ncclRange("ncclCommInitRank", 10, 20, {.communicator = 77, .ranks = 2, .rank = 1, .device = 0});
        nsys.collective("ncclAllReduce", NsysExport::kAllReduce, 5, 1'000, 2'000,
                        {.communicator = 77, .bytes = 4096});
        nsys.range("nccl:all_to_all, op_id = 4", 3'000, 3'100).ncclRange("ncclGroupStart", 3'010, 3'020);
        nsys.ncclRange("ncclSend", 3'021, 3'022, {.communicator = 77, .bytes = 8, .peer = 0});
        nsys.ncclRange("ncclGroupEnd", 3'030, 3'090).call("cuLaunchKernelEx", 6, 3'040, 3'050);
        nsys.kernel(NsysExport::kSendRecv, 6, 3'200, 3'300).copy(64, 7, 3'400, 3'500).set(8, 8, 3'600, 3'700);
        for (const char* column : {"gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ",
                                   "registersPerThread", "staticSharedMemory", "dynamicSharedMemory"}) {
            nsys.execute(std::string("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN ") + column +
                         " DEFAULT 32");
        }
        nsys.execute("INSERT INTO NVTX_EVENTS (start, eventType, text, globalTid, domainId)"
                     " VALUES (1, 75, 'NCCL', 281474976710756, 1), (2, 33, 'category', 281474976710756, 0),"
                     " (3, 39, 'main', 281474976710756, 0), (4, 34, 'mark', 281474976710756, 0)");
    }
}

void writeCorpus(const std::filesystem::path& corpus)
{
    std::filesystem::remove_all(corpus);
    std::filesystem::create_directories(corpus / "trace_reader");
    std::filesystem::create_directories(corpus / "ring_decoder");
    std::filesystem::create_directories(corpus / "report");
    std::filesystem::create_directories(corpus / "reduce");
    writeTraces(corpus / "trace_reader");
    writeTraces(corpus / "report");
    writeMergedRun(corpus / "report");
    writeMergedRun(corpus / "reduce");
    writeSummary(corpus / "reduce", corpus / "report");
    writeRings(corpus / "ring_decoder");
    writeKineto(corpus / "kineto");
    writeXplane(corpus / "xplane");
    writeRocprof(corpus / "rocprof");
    writeFlightRecorder(corpus / "flight_recorder");
    writeNcclLog(corpus / "nccl_log");
    writeMemorySnapshot(corpus / "torch_memory");
    writeWatchdogLog(corpus / "torch_watchdog");
    writeEdits(corpus / "whatif");
    writeInspector(corpus / "inspector");
    writeNsys(corpus / "nsys");
    writeToolOutput(corpus / "tool_output");
    writeNvidiaSmi(corpus / "nvidia_smi");
    writeProbeMessages(corpus / "probe_message");
    writeLiveSnapshots(corpus / "live_snapshot");
    writeRasAnswers(corpus / "ras_answer");
    writeDcgmTexts(corpus / "dcgm_text");
}

} // namespace

int main(int count, char** arguments)
{
    if (count != 2) {
        std::fprintf(stderr, "usage: fuzz_seeds DIRECTORY\n");
        return 2;
    }
    try {
        writeCorpus(arguments[1]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "fuzz_seeds: %s\n", error.what());
        return 1;
    }
    return 0;
}
