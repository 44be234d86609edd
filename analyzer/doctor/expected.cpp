// SPDX-License-Identifier: Apache-2.0
// Compares a host with a correctly set up one. It compares the facts that hosts of one job share
// (examine.cpp) and also PCIe links, because the expected host has the same devices in the same slots.
#include "doctor/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ringside::doctor {
namespace {

bool isExpected(std::string_view fact)
{
    constexpr std::array<std::string_view, 3> kLinks{"disk.", "gpu.", "nic."};
    return isCompared(fact) ||
           std::ranges::any_of(kLinks, [&](std::string_view prefix) { return fact.starts_with(prefix); });
}

} // namespace

std::vector<Advice> deviations(const Facts& expected, const Facts& facts)
{
    std::vector<Advice> all;
    for (const auto& [fact, value] : expected.all()) {
        const std::string* const own = facts.find(fact);
        if (!isExpected(fact) || (own != nullptr && *own == value)) {
            continue;
        }
        all.push_back({"expected", rules::Severity::Warning,
                       own == nullptr ? fmt::format("{} is missing; {} was expected", fact, value)
                                      : fmt::format("{} is {}; {} was expected", fact, *own, value),
                       "It differs from the file of --expect. If the new value is correct, "
                       "write the file again with --facts.",
                       ""});
    }
    return all;
}

} // namespace ringside::doctor
