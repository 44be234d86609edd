// SPDX-License-Identifier: Apache-2.0
// What NCCL's RAS says of a job, in the ranks of the recording.
#pragma once
#include "hang/hang.h"
#include "hang/ras_answer.h"

namespace ringside::hang {

inline constexpr const char* kRasSource = "ras";
inline constexpr const char* kRasTitle = "NCCL's RAS";

/// Which rank of a communicator is which rank of the run.
struct RasMember {
    std::uint64_t hash = 0;                ///< of the communicator, as in the trace
    std::optional<std::uint64_t> ncclHash; ///< as NCCL calls it; null: not recorded
    std::int64_t communicatorRank = -1;
    std::int64_t rank = 0;
};
[[nodiscard]] std::vector<RasMember> rasMembers(const trace::RunTrace& run);

/// Interprets an answer for the job of this report. RAS counts what hosts have launched, as the recording
/// does: it does not know whether a rank waits.
[[nodiscard]] Witness rasWitness(const RasAnswer& answer, const Report& report,
                                 const std::vector<RasMember>& members);

} // namespace ringside::hang
