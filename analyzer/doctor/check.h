// SPDX-License-Identifier: Apache-2.0
// What the doctor knows to look for: one file in checks/, found by its name. A check judges the facts of one
// host by need, not by habit, and says nothing of what is not known.
#pragma once
#include "doctor/facts.h"
#include "rules/rule.h"

#include <span>

namespace ringside::doctor {

struct Advice {
    std::string check; ///< filled in by the caller of the check
    rules::Severity severity = rules::Severity::Info;
    std::string title;    ///< one sentence with the figures
    std::string advice;   ///< why it matters and what to do
    std::string fix = {}; ///< a command that does it, for a person to run; empty: none
};

/// Limits of this visit.
struct Need {
    double roundTripMs = 0.5; ///< between the hosts, for what buffers must hold
};

struct Check {
    std::string_view id;
    std::string_view title;
    std::vector<Advice> (*run)(const Facts& facts, const Need& need) = nullptr;
};

[[nodiscard]] std::span<const Check* const> allChecks();

/// What every check says of a host, the most serious first.
[[nodiscard]] std::vector<Advice> examine(const Facts& facts, const Need& need);

/// A fact that hosts of one job should share and do not.
struct Difference {
    std::string fact;
    std::map<std::string, std::vector<std::string>>
        hosts; ///< by value; "not known" where a host does not have it
};
/// Versions, limits, settings, variables and the speed of links; what identifies a host is not compared.
[[nodiscard]] std::vector<Difference> differences(const std::vector<Host>& hosts);
[[nodiscard]] bool isCompared(std::string_view fact);

/// Where a host is not as `expected`: what that knows of and the host has otherwise, or not at all.
[[nodiscard]] std::vector<Advice> deviations(const Facts& expected, const Facts& facts);

} // namespace ringside::doctor

/// Defines the check of this file; the name must be the file's.
#define RINGSIDE_CHECK(name, ...)                                                                            \
    extern const ::ringside::doctor::Check entry;                                                            \
    const ::ringside::doctor::Check entry                                                                    \
    {                                                                                                        \
        .id = #name, __VA_ARGS__                                                                             \
    }
