// SPDX-License-Identifier: Apache-2.0
// Groups the calls of all ranks that are one collective: same communicator and same place in its order. Ranks
// that are missing or disagree are reported; they do not make matching fail.
#pragma once
#include "model/communication_work.h"
#include "model/rank.h"
#include "model/stretch_times.h"
#include "model/time.h"
#include "trace/vocabulary/collective.h"

#include <ringside/trace/reader.h>

#include <optional>
#include <string>
#include <vector>

namespace ringside::model {

using trace::CollectiveKind;
using trace::collectiveKind;
using trace::collectiveName;

/// Returns whether this is a send, a receive or a one-sided call. Those share NCCL's sequence numbers with
/// collectives, but each rank makes different ones.
[[nodiscard]] bool isPointToPoint(CollectiveKind kind);
/// Returns whether no rank's part of such a collective can end before every rank's part has begun.
[[nodiscard]] bool everyRankDependsOnEveryOther(CollectiveKind kind);

/// A rank's part of an operation.
struct Participant {
    std::size_t rank = 0; ///< index into Model::ranks
    std::size_t call = 0; ///< index into its process's collectiveCalls; of several fused calls the first
    /// When it ran on the device, on its host's clock: from its communication kernels, else from CUDA events.
    /// Null if it was not measured.
    std::optional<Interval> device;
    std::optional<std::int64_t> lengthNs = {}; ///< how long it took, if only that is known and not when
    std::uint64_t launch = 0; ///< launch of the CUDA graph that ran the captured call; 0 if not from a graph
};

/// One collective (or the calls on one communicator that a group fused), over all ranks that made it.
struct Operation {
    std::uint64_t communicator = 0; ///< hash
    std::int64_t order = 0;         ///< place in the communicator's order
    CollectiveKind kind = CollectiveKind::Other;
    std::optional<std::uint64_t> count; ///< elements, as the caller gave them; null if only bytes are known
    /// Bytes of all fused calls together; for all-gather and reduce-scatter the part of one rank. Null if the
    /// size of any of them is not known.
    std::optional<std::uint64_t> bytes;
    std::optional<std::int64_t> datatype;
    std::int64_t size = 0;     ///< ranks in the communicator; 0 if not known
    bool groupKnown = true;    ///< false if ranks were matched by order alone, as if every rank took part
    std::uint32_t calls = 1;   ///< calls that a group fused into this operation
    bool mismatched = false;   ///< ranks disagree on function, count or type, as far as these are known
    std::int64_t calledNs = 0; ///< when the host of the first participant called it, or launched its graph
    std::vector<Participant> participants; ///< by rank

    [[nodiscard]] bool complete() const { return static_cast<std::int64_t>(participants.size()) == size; }
    /// Returns null if the rank (index into Model::ranks) did not take part.
    [[nodiscard]] const Participant* participant(std::size_t rank) const;
    /// Returns whether the device times of all members are known, the members agree on the operation, and
    /// there are at least two.
    [[nodiscard]] bool measured() const;
};

/// Returns whether an operation exchanges gradients: an all-reduce or reduce-scatter over all ranks of the
/// job whose size is known. Operations of a few bytes are a loss or a flag, and integers are counts; they are
/// not gradients.
[[nodiscard]] bool isGradient(const Operation& operation, std::int64_t worldSize);

inline constexpr double kLeastMapElements = 16; ///< an all-reduce of fewer integers is a flag or a count

/// Returns whether an operation is the all-reduce that DDP adds with find_unused_parameters: over all ranks,
/// with one integer for each parameter. An all-reduce of more than 1 MiB of integers counts as data.
[[nodiscard]] bool isUsedMap(const Operation& operation, std::int64_t worldSize,
                             double leastElements = kLeastMapElements);

/// When the ranks arrived at an operation (started its kernel) and when it ended, in run time. Who came late,
/// and what that cost, follows from it in metrics/arrivals.h.
struct Arrivals {
    std::size_t lastRank = 0; ///< the rank that arrived last, as index into Model::ranks
    std::int64_t firstArrivalNs = 0;
    std::int64_t lastArrivalNs = 0;
    std::int64_t endNs = 0; ///< when the last rank ended
    /// The time from the last arrival to the end.
    [[nodiscard]] std::int64_t transferNs() const { return std::max<std::int64_t>(0, endNs - lastArrivalNs); }
};
/// Returns null unless the operation was measured on at least two ranks whose clocks can be compared.
[[nodiscard]] std::optional<Arrivals> arrivals(const Operation& operation, const std::vector<Rank>& ranks);

struct MatchResult {
    std::vector<Operation> operations;
    std::vector<trace::IssueRow> issues;
};

/// Matches the collectives of all ranks. Point-to-point and one-sided calls are left out, because sequence
/// numbers do not show which two calls exchange data. If a communicator's size is not known and traces of all
/// `worldSize` ranks are present, its size is the number of ranks that use it. In a part of a run,
/// issues count only what belongs to `stretch`, and ranks that are matched by their place among the calls of
/// the part are not said to disagree.
[[nodiscard]] MatchResult matchCollectives(const trace::RunTrace& trace, const std::vector<Rank>& ranks,
                                           const std::vector<CommunicationWork>& communication,
                                           std::int64_t worldSize, const StretchTimes& stretch = {});

} // namespace ringside::model
