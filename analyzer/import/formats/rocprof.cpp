// SPDX-License-Identifier: Apache-2.0
// Imports the JSON of rocprofv3, AMD's profiler: `rocprofv3 --hip-trace --kernel-trace --memory-copy-trace
// --rccl-trace --marker-trace --output-format json`. A file is a process; it is streamed.
#include "import/importer.h"
#include "import/input.h"
#include "import/kineto/assemble.h"
#include "import/note.h"
#include "import/rocprof/records.h"
#include "import/rocprof/walk_json.h"
#include "import/text.h"

#include <ringside/error.h>

#include <fmt/format.h>

namespace ringside::importers::importer_rocprof {
namespace {

using namespace rocprof;

constexpr std::string_view kTool = "rocprofiler-sdk-tool";

constexpr kineto::Recorder kRecorder{
    .device = "as rocprofv3 recorded it",
    .noDevice = "rocprofv3 recorded none: --kernel-trace was not given, or the GPU did nothing",
    .host = "HIP calls as rocprofv3 recorded them (--hip-trace)",
    .ranges = "ranges of ROCTx as rocprofv3 recorded them (--marker-trace)",
    .nccl = "rocprofv3 does not record RCCL's algorithms, protocols and channels",
    .sampled = "rocprofv3's counters are not read",
    .decode = cleanText,
    .isHostClock = true};

bool recognises(std::string_view head, const std::filesystem::path&)
{
    const std::size_t first = head.find_first_not_of(" \n\t\r");
    return first != std::string_view::npos && head[first] == '{' &&
           head.find(fmt::format("\"{}\"", kTool)) != std::string_view::npos;
}

trace::ProcessTrace processOf(Records&& records)
{
    const std::string host = records.host;
    trace::ProcessTrace process = assemble(std::move(records.rows), std::move(records.document), kRecorder);
    process.process.host = host;
    note(process, trace::Issue::NamesMissing, records.nameless,
         "records refer to names, GPUs or kernels that the file does not contain; they were left out");
    note(process, trace::Issue::DamagedEvent, records.damaged, "records cannot be read; they were left out");
    note(process, trace::Issue::MessageSizesMissing,
         static_cast<std::int64_t>(process.collectiveCalls.size()),
         "collectives without message size: rocprofv3 does not record it. Sizes and bandwidths are not "
         "measured");
    return process;
}

/// Hands the parts of a file to the records of its processes.
class Reader final {
public:
    [[nodiscard]] Walked read(kineto::Window& window)
    {
        const Visitor visitor{[this](Path path, char first) { return wants(path, first); },
                              [this](Path path, std::string_view json) { value(path, json); },
                              [this](Path path) { leave(path); }};
        const Walked walked = walkJson(window, visitor);
        if (m_any) { // the file ends inside of a process
            finish();
        }
        return walked;
    }
    std::vector<trace::ProcessTrace> processes;

private:
    static bool wants(Path path, char first)
    {
        if (path.size() < 2 || path[0] != kTool) {
            return false;
        }
        if (path.size() == 2) {
            return first == '{' && (path[1] == "metadata" || path[1] == "strings" || path[1] == "agents" ||
                                    path[1] == "kernel_symbols");
        }
        return first == '{' && path.size() == 3 && path[1] == "buffer_records";
    }

    void value(Path path, std::string_view json)
    {
        m_any = true;
        if (path.size() == 3) {
            m_records.record(path[2], json);
        } else if (path[1] == "metadata") {
            m_records.metadata(json);
        } else if (path[1] == "strings") {
            m_records.strings(json);
        } else if (path[1] == "agents") {
            m_records.agent(json);
        } else {
            m_records.kernel(json);
        }
    }

    void leave(Path path)
    {
        if (path.size() == 1 && path[0] == kTool && m_any) {
            finish();
        }
    }

    void finish()
    {
        processes.push_back(processOf(std::move(m_records)));
        m_records = Records();
        m_any = false;
    }

    Records m_records;
    bool m_any = false;
};

std::vector<trace::ProcessTrace> importFile(const Job& job)
{
    const File file(job.path);
    Bytes bytes(file, 0, job.progress);
    kineto::Window window(bytes, 0);
    Reader reader;
    const Walked walked = reader.read(window);
    if (reader.processes.empty()) {
        throw Error(ErrorCode::Unusable,
                    fmt::format("{} holds no process that rocprofv3 recorded", job.path.string()),
                    "Record again with rocprofv3 --hip-trace --kernel-trace --output-format json.");
    }
    if (walked != Walked::Whole || !bytes.problem().empty()) {
        reader.processes.back().issues.push_back(
            {trace::Issue::TruncatedFile, 1,
             fmt::format("the file {} at byte {}: what follows is lost{}{}",
                         walked == Walked::Broken ? "is not JSON" : "breaks off", window.offset(),
                         bytes.problem().empty() ? "" : "; ", bytes.problem())});
    }
    return std::move(reader.processes);
}

} // namespace

RINGSIDE_IMPORTER(rocprof, .title = "rocprofv3 (AMD), JSON", .files = "*_results.json, *.json.gz",
                  .recognises = recognises, .import = importFile);

} // namespace ringside::importers::importer_rocprof
