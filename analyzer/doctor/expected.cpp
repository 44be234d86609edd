// SPDX-License-Identifier: Apache-2.0
// Compares a host with a correctly set up one. It compares the facts that hosts of one job share
// (examine.cpp) and also PCIe links, because the expected host has the same devices in the same slots.
#include "doctor/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace ringside::doctor {
namespace {

constexpr std::array<std::string_view, 3> kLinks{"disk.", "gpu.", "nic."};

/// Hosts of one job may have their adapters in other slots; a host and its expectation may not.
bool isExpected(std::string_view fact)
{
    return isCompared(fact) || (fact.starts_with("rdma.") && fact.ends_with(".pci")) ||
           std::ranges::any_of(kLinks, [&](std::string_view prefix) { return fact.starts_with(prefix); });
}

/// Returns the devices of a host that nobody expected, such as a card that was swapped into another slot.
std::vector<Advice> extras(const Facts& expected, const Facts& facts)
{
    std::vector<Advice> all;
    for (const std::string_view kind : {"disk.", "gpu.", "nic.", "rdma."}) {
        const std::vector<std::string> known = expected.namesAfter(kind);
        for (const std::string& name : facts.namesAfter(kind)) {
            if (known.empty() || std::ranges::find(known, name) != known.end()) {
                continue;
            }
            all.push_back({"expected", rules::Severity::Warning,
                           fmt::format("{}{} is there and was not expected", kind, name),
                           "It differs from the file of --expect: a device was added, or sits in another "
                           "slot. If that is correct, write the file again with --facts.",
                           ""});
        }
    }
    return all;
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
    if (!expected.all().empty()) {
        std::ranges::move(extras(expected, facts), std::back_inserter(all));
    }
    return all;
}

} // namespace ringside::doctor
