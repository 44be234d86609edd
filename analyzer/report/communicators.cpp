// SPDX-License-Identifier: Apache-2.0
#include "report/communicators.h"

#include "model/communicator_calls.h"
#include "report/sentences.h"

#include <fmt/format.h>

namespace ringside::report {
namespace {

constexpr std::size_t kLongestName = 16; ///< in a label, so that the table fits a terminal

/// Returns the first half of the hash; the JSON report has all of it. For hashes made by an importer, the
/// first half may be 0.
std::string shortHash(std::uint64_t hash)
{
    if (hash == 0) {
        return "(unknown)";
    }
    return hash >> 32 != 0 ? fmt::format("{:08x}", hash >> 32) : fmt::format("{:x}", hash);
}

std::string labelOf(std::uint64_t hash, const Communicator& communicator)
{
    if (!communicator.name.empty()) {
        return communicator.name.substr(0, kLongestName);
    }
    const bool complete =
        hash != 0 && communicator.size == static_cast<std::int64_t>(communicator.ranks.size());
    std::string ranks = complete ? "ranks " + rankList({communicator.ranks.begin(), communicator.ranks.end()})
                                 : std::string();
    return complete && ranks.size() <= kLongestName ? ranks : shortHash(hash);
}

} // namespace

std::map<std::uint64_t, Communicator> communicatorsOf(const model::Model& model)
{
    std::map<std::uint64_t, Communicator> communicators;
    for (const model::Rank& rank : model.ranks) {
        const trace::ProcessTrace& process = model.processOf(rank);
        for (const trace::CommunicatorRow& row : process.communicators) {
            if (!rank.owns(static_cast<std::uint32_t>(row.device))) {
                continue;
            }
            Communicator& communicator = communicators[model::sharedHash(row)];
            communicator.ranks.insert(rank.rank);
            communicator.size = communicator.size == 0 ? row.size : communicator.size;
            communicator.name = communicator.name.empty() ? process.text(row.name) : communicator.name;
        }
    }
    return communicators;
}

std::map<std::uint64_t, std::string> communicatorLabels(const Report& report)
{
    const std::map<std::uint64_t, Communicator> communicators = communicatorsOf(report.model);
    std::map<std::uint64_t, std::string> labels;
    std::map<std::string, int> uses;
    for (const metrics::CollectiveGroup& group : report.metrics.collectives) {
        const auto found = communicators.find(group.communicator);
        const std::string label = found != communicators.end() ? labelOf(group.communicator, found->second)
                                                               : shortHash(group.communicator);
        if (labels.try_emplace(group.communicator, label).second) {
            ++uses[label];
        }
    }
    for (auto& [hash, label] : labels) {
        if (uses[label] > 1) {
            label += " " + shortHash(hash);
        }
    }
    return labels.size() > 1 ? labels : std::map<std::uint64_t, std::string>{};
}

} // namespace ringside::report
