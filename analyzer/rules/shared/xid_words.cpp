// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/xid_words.h"

#include <fmt/format.h>

namespace ringside::rules {
namespace {

/// Returns what to do before the GPU is used again.
std::string_view restartText(trace::XidRestart restart)
{
    switch (restart) {
    case trace::XidRestart::Nothing:
        return "Nothing has to restart";
    case trace::XidRestart::Untold:
        return "NVIDIA's catalogue names no action for it yet: look at the Xids beside it and at the kernel "
               "log";
    case trace::XidRestart::Job:
        return "Restart the job; the GPU can stay in use";
    case trace::XidRestart::GpuLater:
        return "Reset the GPU when the job is over (`nvidia-smi --gpu-reset`)";
    case trace::XidRestart::Gpu:
        return "Drain the node and reset the GPU before it is used again (`nvidia-smi --gpu-reset`)";
    case trace::XidRestart::Host:
        return "Drain the node and restart the host, with a power cycle if the GPU is still missing";
    }
    return "";
}

/// Returns who is to blame, and how to find out.
std::string_view suspectText(trace::XidHardware hardware)
{
    switch (hardware) {
    case trace::XidHardware::None:
        return "It is no fault by itself";
    case trace::XidHardware::Unlikely:
        return "The program or the driver usually causes it: run the rank under `compute-sanitizer`. If it "
               "follows the GPU and not the program, it is hardware";
    case trace::XidHardware::Possible:
        return "Hardware, driver or program may be at fault: if it comes back on this GPU with another "
               "program, run `dcgmi diag -r 3` and contact support";
    case trace::XidHardware::Likely:
        return "Hardware is the likely cause: run `dcgmi diag -r 3`, and replace the GPU or its board if it "
               "comes back";
    }
    return "";
}

} // namespace

trace::XidEntry xidEntryOf(std::int64_t xid)
{
    const trace::XidEntry* const entry = trace::findXid(xid);
    return entry != nullptr ? *entry : trace::XidEntry{xid, "not in NVIDIA's catalogue"};
}

Severity xidSeverity(const trace::XidEntry& entry)
{
    return trace::isFatalXid(entry.number)              ? Severity::Problem
           : entry.hardware == trace::XidHardware::None ? Severity::Info
                                                        : Severity::Warning;
}

std::string xidAdvice(const trace::XidEntry& entry)
{
    return fmt::format("{}. {}.", restartText(entry.restart), suspectText(entry.hardware));
}

} // namespace ringside::rules
