// SPDX-License-Identifier: Apache-2.0
// Messages of a kernel's or of NCCL's log that `ringside links --from` added to a run.
#pragma once
#include "rules/shared/support.h"
#include "trace/vocabulary/kernel_event.h"

namespace ringside::rules {

/// All messages of a kind about a device.
struct LogEvents {
    const trace::ProcessTrace* process = nullptr;
    const trace::SeriesRow* series = nullptr;
    std::vector<metrics::SampleValue> samples; ///< on the host's clock; the value is the id of the line
};
[[nodiscard]] std::vector<LogEvents> logEventsOf(const model::Model& run);
[[nodiscard]] std::string_view lineOf(const LogEvents& events, std::size_t index);

/// Returns a recorded rank on the host that wrote the log, for evidence. Without one, times mean nothing to
/// the run.
[[nodiscard]] const model::Rank* rankOn(const model::Model& run, const trace::ProcessTrace& process);

/// What a finding about these messages says. Slots of `title`: device, what, times and first.
[[nodiscard]] Finding logFinding(const Context& context, const LogEvents& events,
                                 const words::Template& title, words::Text what);

/// How bad a kind of message is, and what to do.
struct LogKind {
    trace::KernelEvent event;
    Severity severity;
    const words::Template* what;
    const words::Template* remedy;
};

} // namespace ringside::rules
