// SPDX-License-Identifier: Apache-2.0
#include "cli/attached_hang.h"

#include "attach/stuck.h"
#include "attach/verdict.h"
#include "cli/standard_streams.h"
#include "hang/wait_chain.h"
#include "host/monotonic.h"
#include "host/process.h"
#include "output/messages.h"
#include "ras/client.h"
#include "ras/place.h"
#include "stacks/bounded_child.h"
#include "stacks/collect.h"
#include "stacks/thread_snapshot.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <thread>

namespace ringside::cli {
namespace {

using namespace std::chrono_literals;

/// A process that works is unlikely to be seen at one line in all of them.
constexpr std::size_t kSamples = 3;
constexpr auto kBetweenLooks = 1500ms;

using Samples = std::vector<std::vector<trace::StackRow>>;

/// Threads that did not stop in time are still attached: they are released once they have stopped.
void release(pid_t pid, std::vector<pid_t> stillAttached)
{
    for (int looks = 0; !stillAttached.empty() && looks < 100; ++looks) {
        std::this_thread::sleep_for(10ms);
        stacks::releaseStopped(pid, stillAttached);
    }
}

void takeSample(std::vector<Samples>& samples, const std::vector<attach::JobProcess>& processes)
{
    for (std::size_t i = 0; i < processes.size(); ++i) {
        stacks::CollectedStacks stacks = stacks::collectStacks(processes[i].pid, std::nullopt);
        samples[i].push_back(std::move(stacks.rows));
        release(processes[i].pid, std::move(stacks.stillAttached));
    }
}

attach::StuckReport watch(const std::vector<attach::JobProcess>& processes)
{
    attach::StuckReport report;
    report.host = host::hostName();
    report.samples = kSamples;
    std::vector<Samples> samples(processes.size());
    const std::int64_t beginNs = host::monotonicNs();
    for (std::size_t i = 0; i < kSamples; ++i) {
        if (i > 0) {
            std::this_thread::sleep_for(kBetweenLooks);
        }
        takeSample(samples, processes);
    }
    report.secondsWatched = static_cast<double>(host::monotonicNs() - beginNs) / 1e9;
    for (std::size_t i = 0; i < processes.size(); ++i) {
        const auto main = host::ownIdOf(std::to_string(processes[i].pid));
        report.processes.push_back({processes[i], attach::standingOf(samples[i], main.value_or(0))});
    }
    report.gpus = askForGpus();
    attach::judge(report);
    return report;
}

/// RAS is asked only if something stands: it interrupts nothing, but takes up to ten seconds where ranks are
/// silent.
void askRasOf(const std::vector<pid_t>& roots, attach::StuckReport& report)
{
    constexpr std::int64_t kLimitMs = 20'000;
    if (!attach::isStuck(report) && report.lookFirst.empty()) {
        return;
    }
    const ras::RasPlace place = ras::rasPlaceOf(roots);
    const int never = eventfd(0, EFD_CLOEXEC);
    const ras::RasReply reply =
        place.isOff ? ras::RasReply{"", "NCCL_RAS_ENABLE is 0"} : ras::askRas(place.address, never, kLimitMs);
    close(never);
    attach::addRas(report, reply.answer, reply.whyNot);
}

} // namespace

bool printWhereProcessesStand(const std::vector<pid_t>& roots, const std::string& format)
{
    const std::vector<attach::JobProcess> processes = attach::processesOfJob(roots);
    if (processes.empty()) {
        throw Error(ErrorCode::Unusable, fmt::format("no process {} on this machine", fmt::join(roots, ", ")),
                    "Name the launcher or a rank of the job by its process id on this host; in a container, "
                    "ids are those that `ps` shows there.");
    }
    output::printNote("ringside: takes the stacks of {} process{} {} times\n", processes.size(),
                      processes.size() == 1 ? "" : "es", kSamples);
    attach::StuckReport report = watch(processes);
    askRasOf(roots, report);
    const hang::Report verdict = attach::verdictOf(report);
    printResult(format == "json"   ? attach::formatJson(report, verdict)
                : format == "html" ? hang::formatHtml(verdict)
                                   : attach::formatText(report));
    return attach::isStuck(report);
}

attach::Gpus askForGpus()
{
    const stacks::BoundedResult answer = stacks::runBounded(
        [] {
            fmt::print("{}", attach::formatGpus(attach::readGpus()));
            std::fflush(stdout);
            return 0;
        },
        10s);
    attach::Gpus gpus;
    if (!answer.error.empty()) {
        gpus.reason = "NVML " + answer.error;
        return gpus;
    }
    return attach::parseGpus(answer.output);
}

} // namespace ringside::cli
