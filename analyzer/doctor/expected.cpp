// SPDX-License-Identifier: Apache-2.0
// A host against one that is as it should be. Which facts are compared is decided with those that hosts of
// one job share (examine.cpp); links on PCIe come on top, for the host it stands for has them in the same
// places.
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
                       own == nullptr ? fmt::format("{} is not there; {} was expected", fact, value)
                                      : fmt::format("{} is {}; {} was expected", fact, *own, value),
                       "The host that stands for what is right has it otherwise. If the new value is right, "
                       "write the file anew with --facts.",
                       ""});
    }
    return all;
}

} // namespace ringside::doctor
