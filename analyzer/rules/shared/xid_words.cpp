// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/xid_words.h"

#include "words/xid_words.h"

namespace ringside::rules {
namespace {

/// Returns what to do before the GPU is used again.
const words::Template& restartText(trace::XidRestart restart)
{
    switch (restart) {
    case trace::XidRestart::Nothing:
        return words::xid_words::restart_nothing;
    case trace::XidRestart::Untold:
        break;
    case trace::XidRestart::Job:
        return words::xid_words::restart_job;
    case trace::XidRestart::GpuLater:
        return words::xid_words::reset_later;
    case trace::XidRestart::Gpu:
        return words::xid_words::reset_gpu;
    case trace::XidRestart::Host:
        return words::xid_words::restart_host;
    }
    return words::xid_words::restart_untold;
}

/// Returns who is to blame, and how to find out.
const words::Template& suspectText(trace::XidHardware hardware)
{
    switch (hardware) {
    case trace::XidHardware::None:
        return words::xid_words::no_fault;
    case trace::XidHardware::Unlikely:
        return words::xid_words::program;
    case trace::XidHardware::Possible:
        break;
    case trace::XidHardware::Likely:
        return words::xid_words::hardware;
    }
    return words::xid_words::perhaps_hardware;
}

} // namespace

trace::XidEntry xidEntryOf(std::int64_t xid)
{
    const trace::XidEntry* const entry = trace::findXid(xid);
    return entry != nullptr ? *entry : trace::XidEntry{xid, "not in NVIDIA's catalogue"};
}

words::Text xidAdvice(const trace::XidEntry& entry)
{
    return say(words::xid_words::remedy,
               {{"restart", restartText(entry.restart)}, {"suspect", suspectText(entry.hardware)}});
}

} // namespace ringside::rules
