// SPDX-License-Identifier: Apache-2.0
#include "report/communicator_names.h"

#include "model/communicator_calls.h"

#include <fmt/format.h>

namespace ringside::report {
namespace {

constexpr std::size_t kLongestName = 16; ///< in a label: the table has to fit a terminal

/// The first half: enough for a reader, who can find the whole in the JSON report.
std::string shortHash(std::uint64_t hash)
{
    return hash != 0 ? fmt::format("{:08x}", hash >> 32) : "(unknown)";
}

} // namespace

std::map<std::uint64_t, std::string> communicatorNames(const model::Model& model)
{
    std::map<std::uint64_t, std::string> names;
    for (const trace::ProcessTrace& process : model.trace.processes) {
        for (const trace::CommunicatorRow& row : process.communicators) {
            if (model::sharedHash(row) != 0 && row.name != 0) {
                names.try_emplace(model::sharedHash(row), process.text(row.name));
            }
        }
    }
    return names;
}

std::map<std::uint64_t, std::string> communicatorLabels(const Report& report)
{
    const std::map<std::uint64_t, std::string> names = communicatorNames(report.model);
    std::map<std::uint64_t, std::string> labels;
    std::map<std::string, int> uses;
    for (const metrics::CollectiveGroup& group : report.metrics.collectives) {
        const auto name = names.find(group.communicator);
        const std::string label =
            name != names.end() ? name->second.substr(0, kLongestName) : shortHash(group.communicator);
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
