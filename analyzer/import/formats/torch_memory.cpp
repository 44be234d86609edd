// SPDX-License-Identifier: Apache-2.0
// Imports snapshots of PyTorch's allocator of GPU memory: what held memory, and where in the program it was
// allocated. A snapshot is a pickle, which is read, but never executed.
#include "import/importer.h"
#include "import/pickle/read_pickle.h"
#include "import/torch_memory/assemble.h"

#include <ringside/error.h>

#include <fmt/format.h>

namespace ringside::importers::importer_torch_memory {
namespace {

using namespace torch_memory;

constexpr const char* kHowToMake =
    "Write it with torch.cuda.memory._dump_snapshot(FILE), after torch.cuda.memory._record_memory_history().";

/// Also the list of segments alone, which torch.cuda.memory_snapshot() returns. The stack of the first
/// segment may fill the whole head: of its members only those before it can be relied on.
bool recognises(std::string_view head, const std::filesystem::path&)
{
    const auto holds = [head](std::string_view text) { return head.find(text) != std::string_view::npos; };
    return pickle::isPickle(head) &&
           (holds("device_traces") || (holds("total_size") && holds("segment_type")));
}

std::vector<trace::ProcessTrace> importFile(const Job& job)
{
    const File file(job.path);
    Bytes bytes(file, 0, job.progress);
    pickle::Document document = pickle::readPickle(bytes);
    if (!document.problem.empty() && !bytes.problem().empty()) {
        document.problem += " (" + bytes.problem() + ")";
    }
    Snapshot snapshot = readSnapshot(document);
    const bool whole = document.problem.empty();
    if (!snapshot.found || (!whole && snapshot.devices.empty())) {
        throw Error(ErrorCode::Unusable,
                    fmt::format("{} {} at byte {}", job.path.string(),
                                whole ? "is no snapshot of PyTorch's allocator" : document.problem,
                                document.offset),
                    document.hint.empty() ? kHowToMake : document.hint);
    }
    std::vector<trace::ProcessTrace> processes;
    processes.push_back(assemble(std::move(snapshot), document.values, whole));
    if (!whole) {
        processes.back().issues.push_back({trace::Issue::TruncatedFile, 1,
                                           fmt::format("the file {} at byte {}; the rest was not read",
                                                       document.problem, document.offset)});
    }
    return processes;
}

} // namespace

RINGSIDE_IMPORTER(torch_memory, .title = "PyTorch memory snapshot", .files = "*.pickle, *.pkl",
                  .recognises = recognises, .import = importFile, .writtenAgain = true);

} // namespace ringside::importers::importer_torch_memory
