// SPDX-License-Identifier: Apache-2.0
// Columns: Nsight Systems, "SQLite Export Schema Reference". Versions differ in the columns that they have.
#include "import/nsys/activities.h"

#include "import/nsys/global_id.h"
#include "import/nsys/scan.h"
#include "import/text.h"
#include "trace/tables.h"

#include <algorithm>
#include <array>

namespace ringside::importers::nsys {
namespace {

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

} // namespace

void readStrings(ExportFile& file, Recording& recording)
{
    for (Scan scan(file, "StringIds", {"id", "value"}); scan.next();) {
        if (const auto id = scan.integer(0)) {
            recording.strings.emplace(*id, recording.names.idOf(cleanText(scan.text(1))));
        }
    }
}

void readDeviceWork(ExportFile& file, Recording& recording)
{
    readKernels(file, recording);
    readGraphs(file, recording);
    readCopies(file, recording, kCopies);
    readCopies(file, recording, kSets);
}

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

} // namespace ringside::importers::nsys
