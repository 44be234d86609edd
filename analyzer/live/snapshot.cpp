// SPDX-License-Identifier: Apache-2.0
#include "live/snapshot.h"

#include "live/members.h"
#include "trace/write/small_file.h"

#include <ringside/trace/live_snapshot.h>

#include <algorithm>
#include <ctime>

namespace ringside::live {
namespace {

Step stepOf(const Json& object)
{
    Step step;
    step.id = amountOf(object, "id");
    step.number = integerOf(object, "number");
    step.isMarked = textOf(object, "source") != "time";
    step.device = lengthOf(object, "device");
    step.endMs = amountOf(object, "end_ms");
    step.stepNs = amountOf(object, "step_ns");
    step.deviceStepNs = lengthOf(object, "device_step_ns");
    step.computeNs = lengthOf(object, "compute_ns");
    step.communicationNs = lengthOf(object, "communication_ns");
    step.exposedCommunicationNs = lengthOf(object, "exposed_communication_ns");
    step.exposedCopyNs = lengthOf(object, "exposed_copy_ns");
    step.idleNs = lengthOf(object, "idle_ns");
    step.ncclNs = lengthOf(object, "nccl_ns");
    step.launches = amountOf(object, "launches");
    step.collectives = amountOf(object, "collectives");
    step.blockingNs = amountOf(object, "blocking_ns");
    step.loadingNs = amountOf(object, "loading_ns");
    return step;
}

Rank rankOf(const Json& object)
{
    return {amountOf(object, "rank"), lengthOf(object, "world_size"), lengthOf(object, "device")};
}

Communicator communicatorOf(const Json& object)
{
    return {textOf(object, "hash"), lengthOf(object, "rank"), lengthOf(object, "size"),
            lengthOf(object, "sequence"), lengthOf(object, "issued_ms")};
}

Call callOf(const Json& object)
{
    return {textOf(object, "api"), textOf(object, "communicator"), lengthOf(object, "sequence"),
            amountOf(object, "since_ms")};
}

Sample sampleOf(const Json& object)
{
    return {textOf(object, "source"),
            textOf(object, "entity"),
            textOf(object, "metric"),
            integerOf(object, "value").value_or(0),
            integerOf(object, "first").value_or(0),
            amountOf(object, "at_ms"),
            amountOf(object, "first_at_ms")};
}

Alarm alarmOf(const Json& object)
{
    return {textOf(object, "kind"), textOf(object, "message"), amountOf(object, "at_ms"),
            lengthOf(object, "rank"), textOf(object, "subject")};
}

Process processOf(const Json& object)
{
    Process process;
    process.name = textOf(object, "process");
    process.pid = amountOf(object, "pid");
    process.atMs = amountOf(object, "at_ms");
    process.level = textOf(object, "level");
    process.emulated = flagOf(object, "emulated");
    process.steps = lengthOf(object, "steps");
    process.ranks = listOf(object, "ranks", rankOf);
    if (const auto hang = object.find("hang"); hang != object.end() && hang->is_object()) {
        process.hang = Hang{amountOf(*hang, "since_ms"), textOf(*hang, "reason")};
    }
    process.calls = listOf(object, "calls", callOf);
    process.communicators = listOf(object, "communicators", communicatorOf);
    process.recentSteps = listOf(object, "recent_steps", stepOf);
    std::stable_sort(process.recentSteps.begin(), process.recentSteps.end(),
                     [](const Step& a, const Step& b) { return a.id < b.id; });
    process.samples = listOf(object, "samples", sampleOf);
    return process;
}

} // namespace

std::int64_t nowMs()
{
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    constexpr std::int64_t kMsASecond = 1000;
    constexpr std::int64_t kNsAMs = 1'000'000;
    return std::int64_t{now.tv_sec} * kMsASecond + now.tv_nsec / kNsAMs;
}

std::optional<Snapshot> parseSnapshot(std::string_view text)
{
    const Json json = parseStrange(text);
    if (!json.is_object() || textOf(json, "schema") != trace::kLiveSchema) {
        return std::nullopt;
    }
    Snapshot snapshot;
    snapshot.host = textOf(json, "host");
    snapshot.writtenMs = amountOf(json, "written_ms");
    snapshot.processesLeftOut = amountOf(json, "processes_left_out");
    snapshot.alarms = listOf(json, "alarms", alarmOf);
    snapshot.processes = listOf(json, "processes", processOf);
    return snapshot;
}

RunNow readRun(const std::filesystem::path& runDirectory)
{
    RunNow run;
    run.path = runDirectory;
    run.readMs = nowMs();
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (std::filesystem::directory_iterator file(runDirectory, error), end; !error && file != end;
         file.increment(error)) {
        if (file->path().filename().string().ends_with(trace::kLiveSnapshotEnding) &&
            files.size() < kMostEntries) {
            files.push_back(file->path());
        }
    }
    std::sort(files.begin(), files.end());
    for (const std::filesystem::path& file : files) {
        constexpr std::size_t kAndAlarms = 2; // what the processes are not the only ones to fill
        auto snapshot = parseSnapshot(
            trace::readSmallFile(file, trace::From::Anybody, kAndAlarms * trace::kMostSnapshotBytes));
        if (snapshot) {
            run.hosts.push_back(std::move(*snapshot));
        } else {
            run.unreadable.push_back(file.filename().string());
        }
    }
    return run;
}

} // namespace ringside::live
