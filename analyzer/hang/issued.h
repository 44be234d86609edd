// SPDX-License-Identifier: Apache-2.0
// Lists the calls that each member of each communicator issued, in the member's order. Calls that have not
// returned are included.
#pragma once
#include "hang/hang.h"

#include <map>
#include <vector>

namespace ringside::hang {

/// How far a GPU came with a call that was issued.
enum class Progress : std::uint8_t {
    NotKnown,
    Open,    ///< it has not completed; only until issuedCalls() has compared the rank's calls
    Queued,  ///< it has not started
    Running, ///< it has started and not completed
    Done,
};

struct Issued {
    std::int64_t order = 0;
    Signature call;
    std::int64_t startNs = 0; ///< on its host's clock
    bool inCall = false;
    Progress progress = Progress::NotKnown;
    std::int64_t batch = 0; ///< calls that were issued together share a number; 0: it was issued alone

    [[nodiscard]] bool isOpen() const { return progress != Progress::Done; } ///< or may be
};

struct Member {
    std::size_t rank = 0;               ///< index into Model::ranks
    std::int64_t communicatorRank = -1; ///< its rank in the communicator
    std::int64_t next = 0;              ///< order of the first call that it has not issued
    std::vector<Issued> calls;          ///< by order; with gaps if records were lost
    /// Sends and receives, with their peer as root. `order` is their number on the communicator.
    std::vector<Issued> pointToPoint;
    bool complete = false;     ///< every call since the creation of the communicator is there
    bool statesKnown = false;  ///< it is known of each call whether it completed
    std::int64_t torn = 0;     ///< lines of the log that may be calls of it and cannot be read
    std::int64_t unplaced = 0; ///< those of them that leave no gap in the numbers of its calls

    /// Returns the collective with this order, or null if no record of it exists.
    [[nodiscard]] const Issued* at(std::int64_t order) const;
};

struct Group {
    std::uint64_t hash = 0;
    std::string name;
    std::int64_t size = 0;
    bool ordersByPlace = false;
    std::vector<Member> members;     ///< by rank
    std::vector<std::int64_t> ranks; ///< of the job, by rank in the communicator; empty if not known

    /// Returns false if positions in the order cannot be compared: they are counts, and records of a member
    /// are missing.
    [[nodiscard]] bool isComparable() const;
};

/// Whether no rank can complete this collective before all have issued it.
[[nodiscard]] bool needsAll(std::string_view function);
/// Whether it is a send or a receive.
[[nodiscard]] bool isPointToPoint(std::string_view function);

/// Returns how many calls the process made in groups that it has not closed: NCCL has launched none of them.
[[nodiscard]] std::int64_t callsInOpenGroups(const trace::ProcessTrace& process);

/// Returns all communicators of more than one rank with at least one call. Communicators without a hash are
/// left out, because their other members are unknown. Members whose trace broke off are left out. Of a dump
/// that tells how far each call came, ranks that never used a communicator are members without calls. Where a
/// dump does not tell which calls have started, a rank's first call that has not completed counts as running,
/// and those behind it as queued: they need its result, or wait for it in a queue.
[[nodiscard]] std::vector<Group> issuedCalls(const model::Model& model);

/// Returns the in_flight rows of the calls in which threads were at the end of the trace. If there are none,
/// returns those of the last hang, provided that it did not end.
[[nodiscard]] std::vector<trace::InFlightRow> lastInFlight(const trace::ProcessTrace& process);

} // namespace ringside::hang
