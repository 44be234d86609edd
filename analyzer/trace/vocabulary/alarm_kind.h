// SPDX-License-Identifier: Apache-2.0
// The alarms of a running job: member `kind` of snapshots, of RUN/alarms.jsonl and of metrics. docs/live.md
// has the same descriptions.
#pragma once
#include "trace/vocabulary/word.h"

#include <array>

namespace ringside::trace {

struct AlarmKindEntry {
    std::string_view text;
    std::string_view description; ///< when it begins
    std::string_view advice;      ///< what to look at next
};

inline constexpr std::array kAlarmKinds{
    AlarmKindEntry{"hang",
                   "no step has ended and no collective was issued for 9 s, five median steps or twice the "
                   "longest pause so far, whichever is longest",
                   "`ringside hang RUN` shows where each rank stands, with stacks where they can be read. A "
                   "rank that computes, or moves data of files, as in a checkpoint, raises none."},
    AlarmKindEntry{
        "straggler", "the others wait for a rank for 10 % of a step",
        "Compare its columns with the other ranks': longer computation points to its GPU (clocks, "
        "heat) or to more work, an idle GPU to its host (data, CPUs). `ringside report RUN` names the "
        "cause."},
    AlarmKindEntry{"rotating_straggler", "a different rank in each step costs the others 6 % of a step",
                   "No single host is to blame. Usual causes: batches of unequal length, garbage collection, "
                   "other work on shared hosts or storage."},
    AlarmKindEntry{
        "slower", "a step takes 10 % longer than at the beginning",
        "See which column grew. `ringside report RUN` on what was recorded so far names what limits "
        "the steps."},
    AlarmKindEntry{"utilization_spread",
                   "the shares of the step in which the GPUs compute differ by 15 points more than at the "
                   "beginning",
                   "Work moved between ranks: look for experts, stages or batches that became unequal."},
    AlarmKindEntry{
        "link_errors",
        "errors of a link or GPU rise in three of five readings (of a GPU every two seconds, of a port every "
        "ten)",
        "`ringside links RUN` shows the counters of all ports. A cable, a port or a GPU may need to be "
        "replaced."},
    AlarmKindEntry{
        "throttling",
        "heat or the power supply holds a GPU's clocks down for ten seconds; the usual power limit "
        "does not count",
        "Check the host's cooling and power. The rank on that GPU computes longer as long as it lasts."},
    AlarmKindEntry{
        "memory_growth",
        "memory of a GPU or process grew in nearly every one of 20 minutes, by 5 % and 256 MiB",
        "The job may run out of memory later. Usual causes: tensors kept in a list, caches without a "
        "limit, workers of the data loader."},
};
using AlarmKind = Word<kAlarmKinds, &AlarmKindEntry::text>;

} // namespace ringside::trace
