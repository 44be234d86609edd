// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as the answer of NCCL's RAS. Whatever is read can be compared with a report and
// shown in both forms.
#include "hang/ras_witness.h"
#include "hang/witness.h"
#include "output/json_value.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

using namespace ringside;

constexpr std::uint64_t kHash = 0x1a2b; ///< as in the seeds

void require(bool good)
{
    if (!good) {
        std::abort();
    }
}

hang::Report reportOf(std::int64_t ranks)
{
    hang::Report report;
    report.kind = hang::Kind::Missing;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        hang::RankReport& each = report.ranks.emplace_back();
        each.rank = rank;
        each.pid = 100 + rank;
    }
    hang::StuckCollective& stuck = report.collectives.emplace_back();
    stuck.arrived.resize(1);
    stuck.missing = {1};
    return report;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto answer = hang::parseRasAnswer({reinterpret_cast<const char*>(data), size});
    if (!answer) {
        return 0;
    }
    constexpr std::int64_t kRanks = 4;
    std::vector<hang::RasMember> members;
    for (std::int64_t rank = 0; rank < kRanks; ++rank) {
        members.push_back({1, kHash, rank, rank});
    }
    hang::Report report = reportOf(kRanks);
    hang::hear(report, hang::rasWitness(*answer, report, members));
    for (const std::int64_t rank : report.witnesses.front().blamed) {
        require(rank >= 0 && rank < kRanks);
    }
    require(!hang::formatText(report).empty());
    require(Json::accept(hang::formatJson(report)));
    return 0;
}
