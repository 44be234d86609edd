// SPDX-License-Identifier: Apache-2.0
// One rank is late at every all-reduce: it computes more than the others, its data arrive late, or its host
// is busy with other work.
#include "extra_work.h"
#include "fault.h"

#include <chrono>
#include <thread>

namespace ringside::trainer::faults::fault_late_rank {
namespace {

constexpr FaultOption kOptions[] = {{"rank", "0", "the late rank"},
                                    {"ms", "15", "lateness in every step"},
                                    {"by", "compute",
                                     "compute: extra kernel work; data: a slow loader without prefetching; "
                                     "host: the host waits for the GPU and "
                                     "then does other work, as a logger or a garbage collector does"},
                                    {"after", "0", "steps before the first late one"}};
constexpr std::string_view kCauses[] = {"compute", "data", "host"};

/// Returns whether the steps before the first late one are over. Each call is a step.
class Onset {
public:
    explicit Onset(std::uint64_t steps) : m_left(steps) {}
    bool isOver() { return m_left == 0 || m_left-- == 0; }

private:
    std::uint64_t m_left;
};

void lateByCompute(double ms, Onset onset, Hooks& hooks)
{
    hooks.afterForward.emplace_back(
        [work = ExtraWork::measuredBeforeTraining(hooks), ms, onset](cudaStream_t stream) mutable {
            if (onset.isOver())
                work->run(stream, ms);
        });
}

void lateByData(double ms, std::uint64_t after, Hooks& hooks)
{
    hooks.prefetch = 1;
    hooks.beforeLoad.emplace_back(
        [length = std::chrono::duration<double, std::milli>(ms), after](std::uint64_t step) {
            if (step >= after)
                std::this_thread::sleep_for(length);
        });
}

void lateByHost(double ms, Onset onset, Hooks& hooks)
{
    // Without the wait, the host is ahead of its GPU, and the pause would cost nothing.
    hooks.afterForward.emplace_back(
        [length = std::chrono::duration<double, std::milli>(ms), onset](cudaStream_t stream) mutable {
            if (!onset.isOver())
                return;
            RS_CHECK(cudaStreamSynchronize(stream));
            std::this_thread::sleep_for(length);
        });
}

void apply(const FaultSettings& settings, const RankIdentity& identity, Hooks& hooks)
{
    const double ms = settings.positive("ms");
    const std::string& by = settings.oneOf("by", kCauses);
    const std::uint64_t after = settings.count("after");
    if (!settings.concerns(identity))
        return;
    if (by == "compute")
        lateByCompute(ms, Onset(after), hooks);
    else if (by == "data")
        lateByData(ms, after, hooks);
    else
        lateByHost(ms, Onset(after), hooks);
}

} // namespace

extern const Fault entry;
const Fault entry{"late_rank", "one rank is late at every all-reduce", kOptions, apply};

} // namespace ringside::trainer::faults::fault_late_rank
