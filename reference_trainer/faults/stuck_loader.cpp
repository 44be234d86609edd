// SPDX-License-Identifier: Apache-2.0
// One rank whose data never come from some step on, as with storage that does not answer.
#include "failure.h"
#include "fault.h"

#include <chrono>
#include <thread>

namespace ringside::trainer::faults::fault_stuck_loader {
namespace {

constexpr FaultOption kOptions[] = {{"rank", "0", "the one that waits for data"},
                                    {"step", "20", "the first one without data"}};

/// A frame that a stack shows.
[[gnu::noinline]] void waitForStorage()
{
    for (;;)
        std::this_thread::sleep_for(std::chrono::hours(1));
}

void apply(const FaultSettings& settings, const RankIdentity& identity, Hooks& hooks)
{
    const unsigned step = settings.count("step");
    if (step == 0)
        throw Failure("--fault stuck_loader: step=0 is none; the first one is 1");
    if (!settings.concerns(identity))
        return;
    hooks.beforeLoad.emplace_back([step](std::uint64_t index) {
        if (index + 1 >= step)
            waitForStorage();
    });
}

} // namespace

extern const Fault entry;
const Fault entry{"stuck_loader", "the data of one rank stop coming", kOptions, apply};

} // namespace ringside::trainer::faults::fault_stuck_loader
