// SPDX-License-Identifier: Apache-2.0
// Brings the calls of all ranks together that are one collective: same communicator, same place in its order.
// Ranks that are missing or disagree are facts to report, never a reason to stop.
#pragma once
#include "model/communication_work.h"
#include "model/time.h"
#include "trace/vocabulary/collective.h"

#include <ringside/trace/reader.h>

#include <optional>
#include <string>
#include <vector>

namespace ringside::model {

struct Rank;
struct Host;

using trace::CollectiveKind;
using trace::collectiveKind;
using trace::collectiveName;

/// Send, receive and one-sided calls: they share NCCL's numbering, but differ between ranks.
[[nodiscard]] bool isPointToPoint(CollectiveKind kind);
/// Nobody's part can end before everybody's has begun.
[[nodiscard]] bool everyRankDependsOnEveryOther(CollectiveKind kind);

/// A rank's part of an operation.
struct Participant {
    std::size_t rank = 0; ///< of Model::ranks
    std::size_t call = 0; ///< of its process's collectiveCalls: the first one, when a group fused several
    /// Its communication kernels, else what CUDA events say; on its host's clock; null: not measured.
    std::optional<Interval> device;
    std::optional<std::int64_t> lengthNs = {}; ///< how long it took, where nobody told when it was
    std::uint64_t launch = 0; ///< of the CUDA graph that ran the captured call, 0: it ran itself
};

/// One collective (or the calls on one communicator that a group fused), over all ranks that made it.
struct Operation {
    std::uint64_t communicator = 0; ///< hash
    std::int64_t order = 0;         ///< place in the communicator's order
    CollectiveKind kind = CollectiveKind::Other;
    std::optional<std::uint64_t> count; ///< elements, as the caller gave them; null: only bytes are known
    /// All fused calls together, per-rank part for all-gather and reduce-scatter; null: not known of each.
    std::optional<std::uint64_t> bytes;
    std::optional<std::int64_t> datatype;
    std::int64_t size = 0;   ///< ranks in the communicator; 0: nobody was told
    bool groupKnown = true;  ///< false: matched by their order alone, as if every rank took part
    std::uint32_t calls = 1; ///< fused into one
    bool mismatched = false; ///< ranks disagree on function, count or type, as far as they are known
    std::vector<Participant> participants; ///< by rank

    [[nodiscard]] bool complete() const { return static_cast<std::int64_t>(participants.size()) == size; }
    [[nodiscard]] const Participant* participant(std::size_t rank) const; ///< null: did not take part
    /// Every member's device times are known and they agree on what they do.
    [[nodiscard]] bool measured() const;
};

/// All-reduces and reduce-scatters on the largest communicator, of a known size; a few bytes are a loss or a
/// flag, and integers are counts, not gradients.
[[nodiscard]] bool isGradient(const Operation& operation, std::int64_t worldSize);

inline constexpr double kLeastMapElements = 16; ///< fewer integers are a flag or a count

/// An all-reduce of integers on the largest communicator, as find_unused_parameters makes one: one for each
/// parameter. Many more are data.
[[nodiscard]] bool isUsedMap(const Operation& operation, std::int64_t worldSize,
                             double leastElements = kLeastMapElements);

/// When everybody came, in run time. Only of measured operations with at least two ranks, whose clocks can be
/// compared.
struct Arrivals {
    std::size_t lastRank = 0; ///< of Model::ranks
    std::int64_t firstArrivalNs = 0;
    std::int64_t secondLastArrivalNs = 0;
    std::int64_t lastArrivalNs = 0;
    std::int64_t endNs = 0; ///< the last end
    [[nodiscard]] std::int64_t lostNs() const { return lastArrivalNs - secondLastArrivalNs; }
    [[nodiscard]] std::int64_t transferNs() const { return std::max<std::int64_t>(0, endNs - lastArrivalNs); }
};
[[nodiscard]] std::optional<Arrivals> arrivals(const Operation& operation, const std::vector<Rank>& ranks);

struct MatchResult {
    std::vector<Operation> operations;
    std::vector<trace::IssueRow> issues;
};

/// Point-to-point and one-sided calls are left out: only the two that exchange belong together, which
/// sequence numbers do not tell. A communicator whose size nobody was told has the members that use it, where
/// all `worldSize` ranks are there.
[[nodiscard]] MatchResult matchCollectives(const trace::RunTrace& trace, const std::vector<Rank>& ranks,
                                           const std::vector<CommunicationWork>& communication,
                                           std::int64_t worldSize);

} // namespace ringside::model
