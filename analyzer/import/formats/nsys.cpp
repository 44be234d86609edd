// SPDX-License-Identifier: Apache-2.0
// Imports SQLite exports of Nsight Systems, schema versions 3.13 to 3.30 and the older form. Reads the tables
// and columns that exist. A file may contain several processes, each of them a rank. The format of the report
// itself (.nsys-rep) is not public, so its error explains how to export it. Never writes to or beside the
// file.
#include "import/importer.h"
#include "import/nsys/assemble.h"
#include "import/nsys/global_id.h"
#include "import/nsys/nvtx.h"
#include "import/nsys/recording.h"
#include "import/nsys/scan.h"
#include "import/text.h"
#include "trace/tables.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ringside::importers::importer_nsys {
namespace {

using namespace nsys;

constexpr const char* kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr const char* kCopies = "CUPTI_ACTIVITY_KIND_MEMCPY";
constexpr const char* kSets = "CUPTI_ACTIVITY_KIND_MEMSET";
constexpr const char* kGraphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
constexpr const char* kCalls = "CUPTI_ACTIVITY_KIND_RUNTIME";

template <class Row, class Columns>
void push(Columns& columns, const Row& row)
{
    trace::TableOf<Row>::forEachColumn(
        [&](const char*, trace::Encoding, auto from, auto to) { (columns.*to).push_back(row.*from); });
}

/// The first columns of each scan of device work.
const std::vector<std::string_view> kDeviceColumns{"start",         "end",       "deviceId",   "streamId",
                                                   "correlationId", "globalPid", "graphNodeId"};
enum DeviceColumn : int { Start, End, Device, Stream, Correlation, Process, GraphNode, Own };

std::vector<std::string_view> deviceColumns(std::initializer_list<std::string_view> own)
{
    std::vector<std::string_view> columns = kDeviceColumns;
    columns.insert(columns.end(), own);
    return columns;
}

/// Reads the columns that kernels and copies have in common. Returns null if the row must be left out.
template <class Row>
ProcessRows* readPlace(const Scan& scan, Recording& recording, Row& row)
{
    if (!scan.read(Device, row.device) || !scan.read(Stream, row.stream)) {
        ++recording.counts.incomplete;
        return nullptr;
    }
    if (!recording.readTimes(scan.integer(Start), scan.integer(End), row.startNs, row.endNs)) {
        return nullptr;
    }
    static_cast<void>(scan.read(Correlation, row.correlation)); // stays 0 if there is none
    row.graphNode = static_cast<std::uint64_t>(scan.integer(GraphNode).value_or(0));
    // The oldest exports have only one process and no column for it.
    return recording.processOf(scan.integer(Process).value_or(0));
}

/// The launch configuration of a kernel: its columns follow those of its name and graph.
constexpr int kFirstOfLaunch = Own + 3;

trace::LaunchConfigurationRow readLaunch(const Scan& scan)
{
    trace::LaunchConfigurationRow row;
    int column = kFirstOfLaunch;
    for (const auto member : {&trace::LaunchConfigurationRow::gridX, &trace::LaunchConfigurationRow::gridY,
                              &trace::LaunchConfigurationRow::gridZ, &trace::LaunchConfigurationRow::blockX,
                              &trace::LaunchConfigurationRow::blockY, &trace::LaunchConfigurationRow::blockZ,
                              &trace::LaunchConfigurationRow::registersPerThread,
                              &trace::LaunchConfigurationRow::staticSharedBytes,
                              &trace::LaunchConfigurationRow::dynamicSharedBytes}) {
        row.*member = scan.integer(column++);
    }
    row = trace::withoutImpossible(row);
    trace::addSharedBytes(row);
    return row;
}

void readKernels(ExportFile& file, Recording& recording)
{
    const auto columns =
        deviceColumns({"demangledName", "shortName", "graphId", "gridX", "gridY", "gridZ", "blockX", "blockY",
                       "blockZ", "registersPerThread", "staticSharedMemory", "dynamicSharedMemory"});
    for (Scan scan(file, kKernels, columns); scan.next();) {
        trace::KernelRow row;
        if (ProcessRows* const process = readPlace(scan, recording, row)) {
            const auto full = scan.integer(Own);
            row.name = recording.nameOf(full ? full : scan.integer(Own + 1));
            static_cast<void>(scan.read(Own + 2, row.graph));
            row.configuration = process->configurationOf(row.name, readLaunch(scan));
            push(process->trace.kernels, row);
        }
    }
}

/// Reads launches of CUDA graphs. By default nsys records a launch as one row without its kernels.
void readGraphs(ExportFile& file, Recording& recording)
{
    const trace::StringId name = recording.names.idOf("CUDA graph (recorded as a whole)");
    for (Scan scan(file, kGraphs, deviceColumns({"graphId"})); scan.next();) {
        trace::KernelRow row;
        if (ProcessRows* const process = readPlace(scan, recording, row)) {
            row.name = name;
            static_cast<void>(scan.read(Own, row.graph));
            push(process->trace.kernels, row);
            ++recording.counts.wholeGraphs;
        }
    }
}

/// Returns the CUpti_ActivityMemoryKind of a row's ENUM_CUDA_MEM_KIND, which counts from 0 and ends in
/// "unknown". 0 if it is not known.
std::uint32_t memoryKind(const Scan& scan, int column)
{
    constexpr std::int64_t kUnknown = 7;
    const std::int64_t kind = scan.integer(column).value_or(kUnknown);
    return kind >= 0 && kind < kUnknown ? static_cast<std::uint32_t>(kind) + 1 : 0;
}

void readCopies(ExportFile& file, Recording& recording, const char* table)
{
    const bool set = table == kSets;
    for (Scan scan(file, table, deviceColumns({"bytes", "copyKind", "srcKind", "dstKind"})); scan.next();) {
        trace::CopyRow row;
        ProcessRows* const process = readPlace(scan, recording, row);
        if (process == nullptr) {
            continue;
        }
        if (!scan.read(Own, row.bytes)) {
            ++recording.counts.implausible;
            continue;
        }
        row.kind = trace::kSetKind;
        if (!set && !scan.read(Own + 1, row.kind)) {
            row.kind = 0; // CUPTI's "unknown"
        }
        row.hostMemory = trace::hostMemoryOf(row.kind, memoryKind(scan, Own + 2), memoryKind(scan, Own + 3));
        push(process->trace.copies, row);
    }
}

/// Returns the correlation ids of the work on all devices of a process, ascending.
std::vector<std::uint32_t> correlationsOf(const trace::ProcessTrace& process)
{
    std::vector<std::uint32_t> ids(process.kernels.correlation.begin(), process.kernels.correlation.end());
    ids.insert(ids.end(), process.copies.correlation.begin(), process.copies.correlation.end());
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
}

/// Returns "cudaLaunchKernel" for "cudaLaunchKernel_v7000". CUPTI appends the version that introduced the
/// call.
std::string_view withoutVersion(std::string_view name)
{
    constexpr std::size_t kFewestDigits = 4; // "_v2" in "cuMemcpyDtoH_v2" is part of CUDA's own name
    const std::size_t mark = name.rfind("_v");
    const bool version = mark != std::string_view::npos && name.size() - mark - 2 >= kFewestDigits &&
                         name.find_first_not_of("0123456789", mark + 2) == std::string_view::npos;
    return version ? name.substr(0, mark) : name;
}

/// Reads table StringIds, to which the other tables refer. Must be called first.
void readStrings(ExportFile& file, Recording& recording)
{
    for (Scan scan(file, "StringIds", {"id", "value"}); scan.next();) {
        if (const auto id = scan.integer(0)) {
            recording.strings.emplace(*id, recording.names.idOf(cleanText(scan.text(1))));
        }
    }
}

/// Reads kernels, copies, sets, and CUDA graphs that were recorded as one row.
void readDeviceWork(ExportFile& file, Recording& recording)
{
    readKernels(file, recording);
    readGraphs(file, recording);
    readCopies(file, recording, kCopies);
    readCopies(file, recording, kSets);
}

/// Reads calls of the CUDA runtime and driver API. Calls with device work are also added as launches, so
/// readDeviceWork must be called before.
void readApiCalls(ExportFile& file, Recording& recording)
{
    std::map<const ProcessRows*, std::vector<std::uint32_t>> launched;
    for (const auto& [key, process] : recording.processes) {
        launched.emplace(&process, correlationsOf(process.trace));
    }
    std::unordered_map<trace::StringId, trace::StringId> plainNames;
    enum Column : int { CallStart, CallEnd, Thread, CallCorrelation, Name, Result };
    for (Scan scan(file, kCalls, {"start", "end", "globalTid", "correlationId", "nameId", "returnValue"});
         scan.next();) {
        trace::ApiCallRow row;
        const auto thread = scan.integer(Thread);
        if (!thread) {
            ++recording.counts.incomplete;
            continue;
        }
        if (!recording.readTimes(scan.integer(CallStart), scan.integer(CallEnd), row.startNs, row.endNs)) {
            continue;
        }
        ProcessRows* const process = recording.processOf(*thread);
        if (process == nullptr) {
            continue;
        }
        const trace::StringId name = recording.nameOf(scan.integer(Name));
        const auto [plain, fresh] = plainNames.try_emplace(name, 0);
        if (fresh) {
            plain->second = recording.names.idOf(withoutVersion(recording.names.text(name)));
        }
        row.api = plain->second;
        row.thread = tidOf(*thread);
        static_cast<void>(scan.read(Result, row.result));
        push(process->trace.apiCalls, row);
        std::uint32_t correlation = 0;
        const std::vector<std::uint32_t>& ids = launched[process];
        if (scan.read(CallCorrelation, correlation) && std::ranges::binary_search(ids, correlation)) {
            push(process->trace.launches,
                 trace::LaunchRow{row.startNs, row.endNs, row.api, row.thread, correlation});
        }
    }
}

bool recognises(std::string_view head, const std::filesystem::path& path)
{
    return isLikelyExport(head, path);
}

void refuseReport(const std::filesystem::path& path)
{
    const std::string extension = path.extension().string();
    if (extension == ".nsys-rep" || extension == ".qdrep") {
        throw Error(
            ErrorCode::Unusable,
            fmt::format("{} is a report of Nsight Systems, which must be exported first", path.string()),
            fmt::format("Export it: nsys export --type sqlite --include-blobs=true "
                        "--include-json=true {}",
                        path.filename().string()));
    }
}

void readProcesses(ExportFile& file, Recording& recording)
{
    for (Scan scan(file, "PROCESSES", {"globalPid", "name"}); scan.next();) {
        const auto known = recording.processes.find(processKey(scan.integer(0).value_or(0)));
        if (known != recording.processes.end()) {
            const std::string_view path = scan.text(1);
            known->second.trace.process.command = cleanText(path.substr(path.rfind('/') + 1).substr(0, 255));
        }
    }
    for (Scan scan(file, "ThreadNames", {"globalTid", "nameId"}); scan.next();) {
        const auto thread = scan.integer(0);
        const auto known = recording.processes.find(processKey(thread.value_or(0)));
        if (thread && known != recording.processes.end()) {
            known->second.threadNames.try_emplace(tidOf(*thread),
                                                  recording.names.text(recording.nameOf(scan.integer(1))));
        }
    }
    for (Scan scan(file, "MPI_RANKS", {"globalPid", "rank"}); scan.next();) {
        const auto known = recording.processes.find(processKey(scan.integer(0).value_or(0)));
        const auto rank = scan.integer(1);
        if (known != recording.processes.end() && rank && *rank >= 0) {
            known->second.mpiRank = rank;
        }
    }
}

/// Counts the rows of tables that are not imported.
void countLeftOut(ExportFile& file, Counts& counts)
{
    struct Kind {
        const char* table;
        const char* words;
    };
    constexpr std::array kKinds{Kind{"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "synchronisation records"},
                                Kind{"CUDA_GPU_MEMORY_USAGE_EVENTS", "memory usage"},
                                Kind{"OSRT_API", "calls of the operating system"},
                                Kind{"SCHED_EVENTS", "scheduling"},
                                Kind{"COMPOSITE_EVENTS", "samples of the processor"},
                                Kind{"GPU_METRICS", "metrics of the GPU"},
                                Kind{"NET_NIC_METRIC", "metrics of network adapters"},
                                Kind{"MPI_P2P_EVENTS", "MPI messages"},
                                Kind{"MPI_COLLECTIVES_EVENTS", "MPI collectives"},
                                Kind{"CUBLAS_EVENTS", "cuBLAS calls"},
                                Kind{"CUDNN_EVENTS", "cuDNN calls"},
                                Kind{"PROFILER_OVERHEAD", "the profiler's overhead"}};
    for (const Kind& kind : kKinds) {
        const std::int64_t rows = countRows(file, kind.table);
        counts.leftOut += rows;
        if (rows > 0) {
            counts.leftOutKinds.emplace_back(kind.words);
        }
    }
}

void noteFile(trace::ProcessTrace& process, const ExportFile& file, const Metadata& metadata)
{
    for (const std::string& problem : file.problems()) {
        process.issues.push_back({trace::Issue::DamagedExport, 1, problem});
    }
    if (!isKnownSchema(metadata.schema)) {
        process.issues.push_back(
            {trace::Issue::UnknownExportVersion, 1,
             metadata.schema.empty()
                 ? "the export does not contain its schema version; only known tables and columns were read"
                 : fmt::format("the export has schema version {}, and this program supports versions up to "
                               "3.30; only known tables and columns were read",
                               metadata.schema)});
    }
}

std::vector<trace::ProcessTrace> importFile(const Job& job)
{
    refuseReport(job.path);
    ExportFile file(job.path);
    Recording recording;
    recording.metadata = readMetadata(file);
    const std::array<void (*)(ExportFile&, Recording&), 5> kSteps{readStrings, readDeviceWork, readApiCalls,
                                                                  readNvtx, readProcesses};
    for (const auto step : kSteps) {
        step(file, recording);
        job.progress.add(file.bytes() / kSteps.size());
    }
    countLeftOut(file, recording.counts);
    const Metadata metadata = recording.metadata;
    std::vector<trace::ProcessTrace> processes = assemble(std::move(recording), Devices(file));
    if (processes.empty()) {
        throw Error(ErrorCode::Unusable,
                    fmt::format("{} contains neither work of a GPU nor NVTX ranges of NCCL{}",
                                job.path.string(),
                                file.problems().empty() ? "" : "; " + file.problems().front()),
                    "Record with nsys profile --trace=cuda,nvtx and export the whole report.");
    }
    noteFile(processes.front(), file, metadata);
    return processes;
}

} // namespace

RINGSIDE_IMPORTER(nsys, .title = "Nsight Systems (SQLite export)", .files = "*.sqlite",
                  .recognises = recognises, .import = importFile);

} // namespace ringside::importers::importer_nsys
