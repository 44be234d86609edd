// SPDX-License-Identifier: Apache-2.0
// Imports SQLite exports of Nsight Systems, schema versions 3.13 to 3.30 and the older form. Reads the tables
// and columns that exist. A file may contain several processes, each of them a rank. The format of the report
// itself (.nsys-rep) is not public, so its error explains how to export it. Never writes to or beside the
// file.
#include "import/importer.h"
#include "import/nsys/activities.h"
#include "import/nsys/assemble.h"
#include "import/nsys/global_id.h"
#include "import/nsys/nvtx.h"
#include "import/nsys/scan.h"
#include "import/text.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <array>

namespace ringside::importers::importer_nsys {
namespace {

using namespace nsys;

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
