// SPDX-License-Identifier: Apache-2.0
// What each member of each communicator has issued, in its order, calls that have not returned included.
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
    std::size_t rank = 0;               ///< of Model::ranks
    std::int64_t communicatorRank = -1; ///< what peers call it
    std::int64_t next = 0;              ///< order of the call that it has not issued yet
    std::vector<Issued> calls;          ///< by order; gaps where records were lost
    std::vector<Issued> pointToPoint;   ///< sends and receives, their peer as root; `order` means nothing
    bool complete = false;              ///< every call from the communicator's first on is there

    [[nodiscard]] const Issued* at(std::int64_t order) const;
};

struct Group {
    std::uint64_t hash = 0;
    std::string name;
    std::int64_t size = 0;
    bool ordersByPlace = false;
    std::vector<Member> members; ///< by rank

    /// Places say nothing where records of a member are missing.
    [[nodiscard]] bool isComparable() const;
};

/// All communicators of more than one rank on which anything was issued. A communicator without a hash is its
/// process's own: nobody can be said to miss in it. Members whose trace broke off are left out.
[[nodiscard]] std::vector<Group> issuedCalls(const model::Model& model);

/// The in_flight rows that tell what threads are in at the end: those of the end, else of the last hang.
[[nodiscard]] std::vector<trace::InFlightRow> lastInFlight(const trace::ProcessTrace& process);

} // namespace ringside::hang
