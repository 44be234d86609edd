// SPDX-License-Identifier: Apache-2.0
// Lists the calls that each member of each communicator issued, in the member's order. Calls that have not
// returned are included.
#pragma once
#include "hang/hang.h"

#include <map>
#include <vector>

namespace ringside::hang {

struct Issued {
    std::int64_t order = 0;
    Signature call;
    std::int64_t startNs = 0; ///< on its host's clock
    bool inCall = false;
};

struct Member {
    std::size_t rank = 0;               ///< index into Model::ranks
    std::int64_t communicatorRank = -1; ///< its rank in the communicator
    std::int64_t next = 0;              ///< order of the first call that it has not issued
    std::vector<Issued> calls;          ///< by order; with gaps if records were lost
    std::vector<Issued> pointToPoint;   ///< sends and receives, with their peer as root; `order` is not used
    bool complete = false;              ///< every call since the creation of the communicator is there

    /// Returns the collective with this order, or null if no record of it exists.
    [[nodiscard]] const Issued* at(std::int64_t order) const;
};

struct Group {
    std::uint64_t hash = 0;
    std::string name;
    std::int64_t size = 0;
    bool ordersByPlace = false;
    std::vector<Member> members; ///< by rank

    /// Returns false if positions in the order cannot be compared: they are counts, and records of a member
    /// are missing.
    [[nodiscard]] bool isComparable() const;
};

/// Returns all communicators of more than one rank with at least one call. Communicators without a hash are
/// left out, because their other members are unknown. Members whose trace broke off are left out.
[[nodiscard]] std::vector<Group> issuedCalls(const model::Model& model);

/// Returns the in_flight rows of the calls in which threads were at the end of the trace. If there are none,
/// returns those of the last hang, provided that it did not end.
[[nodiscard]] std::vector<trace::InFlightRow> lastInFlight(const trace::ProcessTrace& process);

} // namespace ringside::hang
