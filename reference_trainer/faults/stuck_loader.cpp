// SPDX-License-Identifier: Apache-2.0
// The data of one rank stop arriving at some step, as with storage that does not answer.
#include "failure.h"
#include "fault.h"

#include <chrono>
#include <thread>

namespace ringside::trainer::faults::fault_stuck_loader {
namespace {

constexpr FaultOption kOptions[] = {{"rank", "0", "the rank that waits for data"},
                                    {"step", "20", "the first step without data"}};

/// A separate function, so that a stack shows its name.
[[gnu::noinline]] void waitForStorage()
{
    for (;;)
        std::this_thread::sleep_for(std::chrono::hours(1));
}

void apply(const FaultSettings& settings, const RankIdentity& identity, Hooks& hooks)
{
    const unsigned step = settings.count("step");
    if (step == 0)
        throw Failure("--fault stuck_loader: step=0 does not exist; the first step is 1");
    if (!settings.concerns(identity))
        return;
    hooks.beforeLoad.emplace_back([step](std::uint64_t index) {
        if (index + 1 >= step)
            waitForStorage();
    });
}

} // namespace

extern const Fault entry;
const Fault entry{"stuck_loader", "the data of one rank stop arriving", kOptions, apply};

} // namespace ringside::trainer::faults::fault_stuck_loader
