// SPDX-License-Identifier: Apache-2.0
// Imports profiles of JAX and TensorFlow: the protocol buffer XSpace, plain or gzip. Each file is a process
// of one host, with all its GPUs. The file is streamed twice; the intact part of a damaged file is kept.
#include "import/importer.h"
#include "import/input.h"
#include "import/kineto/assemble.h"
#include "import/note.h"
#include "import/text.h"
#include "import/xplane/catalogue.h"
#include "import/xplane/events.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ringside::importers::importer_xplane {
namespace {

using namespace xplane;

constexpr std::string_view kSuffix = ".xplane.pb";

constexpr kineto::Recorder kRecorder{
    .device = "as XLA's profiler recorded it",
    .noDevice =
        "XLA's profiler recorded none: the profile is of a host without a GPU, or the GPU did nothing",
    .host = "CUDA or HIP calls as XLA's profiler recorded them; of NCCL only calls that launched a kernel",
    .ranges = "XLA's ranges on the host (TraceMe)",
    .nccl = "XLA's profiler does not record NCCL's algorithms, protocols and channels",
    .sampled = "XLA's profiler does not sample GPU, links or host",
    .decode = cleanText};

/// Whether the file begins with a plane: an id, which may be left out, and a name that XLA gives to planes.
bool recognises(std::string_view head, const std::filesystem::path&)
{
    constexpr std::array<std::string_view, 3> kNames{"/host:", "/device:", "Task Environment"};
    Field plane;
    const std::size_t used = readHead(head, plane);
    if (used == 0 || plane.number != 1 || !plane.isBytes) {
        return false;
    }
    Message fields(head.substr(used));
    for (Field field; fields.next(field) && field.number <= 2;) {
        if (field.number == 2) {
            return std::ranges::any_of(kNames, [&](auto name) { return field.bytes.starts_with(name); });
        }
    }
    return false;
}

/// Whether it is the same profile for a trace viewer, which JAX writes beside it.
bool repeats(const std::filesystem::path& own, const std::filesystem::path& other)
{
    std::string host = own.filename().string();
    host.resize(std::min(host.find(kSuffix), host.size()));
    const std::string name = other.filename().string();
    return name == host + ".trace.json.gz" || name == host + ".trace.json" ||
           name == "perfetto_trace.json.gz";
}

std::string hostOf(const Catalogue& catalogue, const std::filesystem::path& path)
{
    const std::string name = path.filename().string();
    const std::size_t suffix = name.find(kSuffix);
    return catalogue.hosts.size() == 1 ? catalogue.hosts.front()
                                       : cleanText(name.substr(0, suffix == std::string::npos ? 0 : suffix));
}

/// Returns the epoch ns of time 0. Null if the times of lines are epoch times themselves, or if the file does
/// not contain it: XLA counts from the start of the profile and writes that start since 2024.
std::optional<std::int64_t> baseOf(const Catalogue& catalogue)
{
    constexpr std::int64_t kYear2000 = 946'684'800'000'000'000;
    const bool isEpoch = std::ranges::any_of(catalogue.planes, [](const Plane& plane) {
        return std::ranges::any_of(plane.lines,
                                   [](const xplane::Line& line) { return line.startNs >= kYear2000; });
    });
    return isEpoch ? std::nullopt : catalogue.startedNs;
}

trace::DeviceRow deviceOf(const Plane& plane)
{
    trace::DeviceRow row;
    row.ordinal = plane.device;
    const auto name = plane.facts.find("gpu_device_name");
    row.name = name != plane.facts.end() ? name->second : "";
    row.memoryBytes = plane.number("memory_size");
    row.computeMajor = plane.number("compute_cap_major");
    row.computeMinor = plane.number("compute_cap_minor");
    row.multiprocessors = plane.number("core_count");
    return row;
}

kineto::Document documentOf(const Catalogue& catalogue)
{
    kineto::Document document;
    document.baseTimeNs = baseOf(catalogue);
    document.damaged = catalogue.damaged;
    for (const Plane& plane : catalogue.planes) {
        if (plane.kind == PlaneKind::Gpu) {
            document.devices.push_back(deviceOf(plane));
        }
    }
    return document;
}

void noteLeftOut(trace::ProcessTrace& process, const LeftOut& leftOut, const Catalogue& catalogue)
{
    note(process, trace::Issue::NamesMissing, leftOut.nameless,
         "events refer to names that the file does not contain; they were left out");
    note(
        process, trace::Issue::DamagedEvent, leftOut.damaged,
        fmt::format("events cannot be read, the first at byte {}; they were left out", leftOut.firstDamaged));
    note(process, trace::Issue::TooManyRows, leftOut.beyond + catalogue.beyond,
         "events, names or lines are more than can be kept of one file; they were left out");
    note(process, trace::Issue::GraphsWhole, leftOut.wholeGraphs,
         "CUDA graphs were recorded as a whole: which of their time is communication is not known");
    note(process, trace::Issue::MessageSizesMissing,
         static_cast<std::int64_t>(process.collectiveCalls.size()),
         "collectives without message size: XLA's profile does not contain it. Sizes and bandwidths are not "
         "measured");
}

/// Adds what the profiler itself says of the profile, such as that it dropped events, to the tier of devices.
void addComplaints(trace::ProcessTrace& process, const std::vector<std::string>& complaints)
{
    constexpr std::size_t kMost = 3;
    const auto tier = std::ranges::find(process.tiers, trace::TierName("device"), &trace::TierRow::tier);
    for (std::size_t i = 0; tier != process.tiers.end() && i < std::min(complaints.size(), kMost); ++i) {
        tier->reason += "; it reports: " + complaints[i];
    }
}

/// Reports where the file stops to be readable.
void noteEnd(trace::ProcessTrace& process, const std::optional<Damage>& end, const std::string& gzipProblem)
{
    if (end || !gzipProblem.empty()) {
        process.issues.push_back({trace::Issue::TruncatedFile, 1,
                                  end ? fmt::format("{} at byte {}: what follows is lost{}{}", end->what,
                                                    end->offset, gzipProblem.empty() ? "" : "; ", gzipProblem)
                                      : gzipProblem});
    }
}

std::vector<trace::ProcessTrace> importFile(const Job& job)
{
    const File file(job.path);
    Progress once; // the bytes of the second reading count
    Bytes first(file, 0, once);
    Wire head(first);
    kineto::Rows rows;
    const Catalogue catalogue = readCatalogue(head, rows.names);
    Bytes second(file, 0, job.progress);
    Wire body(second);
    const LeftOut leftOut = readEvents(body, catalogue, rows);
    if (std::ranges::all_of(catalogue.planes,
                            [](const Plane& each) { return each.kind == PlaneKind::Other; })) {
        throw Error(ErrorCode::Unusable,
                    fmt::format("{} holds neither a GPU nor threads of a host", job.path.string()),
                    leftOut.end ? fmt::format("It cannot be read from byte {} on. Copy or record it again.",
                                              leftOut.end->offset)
                                : std::string("Give a profile of JAX or TensorFlow on GPUs."));
    }
    std::vector<trace::ProcessTrace> processes;
    processes.push_back(assemble(std::move(rows), documentOf(catalogue), kRecorder));
    trace::ProcessTrace& process = processes.front();
    process.process.host = hostOf(catalogue, job.path);
    noteLeftOut(process, leftOut, catalogue);
    addComplaints(process, catalogue.complaints);
    noteEnd(process, leftOut.end ? leftOut.end : catalogue.end, second.problem());
    return processes;
}

} // namespace

RINGSIDE_IMPORTER(xplane, .title = "profiler of JAX and TensorFlow (XPlane)",
                  .files = "*.xplane.pb, *.xplane.pb.gz", .recognises = recognises, .import = importFile,
                  .namedByHost = true, .devicesAreRanks = true, .repeats = repeats);

} // namespace ringside::importers::importer_xplane
