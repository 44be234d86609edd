// SPDX-License-Identifier: Apache-2.0
// What can be made wrong on purpose. A fault is one file here that defines `fault_<file name>`; it may only
// use the hooks that the trainer offers, so that without faults nothing of them is in the way.
#pragma once
#include "hooks.h"
#include "options.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::trainer {

struct RankIdentity;

struct FaultOption {
    std::string_view key;
    std::string_view fallback;
    std::string_view help;
};

/// The values of a --fault, fallbacks included. All throw Failure for values that are no such thing.
class FaultSettings final {
public:
    FaultSettings(std::string_view fault, std::map<std::string, std::string, std::less<>> values)
        : m_fault(fault), m_values(std::move(values))
    {}
    /// The fault and, where it has one, its rank: what may be wrong in one way only.
    [[nodiscard]] std::string subject() const;
    [[nodiscard]] double positive(std::string_view key) const;
    [[nodiscard]] unsigned count(std::string_view key) const;
    /// Of the setting "rank": whether it is this one. Throws Failure for a rank that the world does not have.
    [[nodiscard]] bool concerns(const RankIdentity& identity) const;
    [[nodiscard]] const std::string& oneOf(std::string_view key,
                                           std::span<const std::string_view> allowed) const;

private:
    std::string m_fault;
    std::map<std::string, std::string, std::less<>> m_values;
};

struct Fault {
    std::string_view name;
    std::string_view help;
    std::span<const FaultOption> options;
    void (*apply)(const FaultSettings& settings, const RankIdentity& identity, Hooks& hooks);
};

namespace faults {
/// Every fault, in name order; generated from the file names.
std::span<const Fault* const> all();
} // namespace faults

/// What training does on this rank, with the faults of the command line, NAME[:KEY=VALUE,...] each. Throws
/// Failure for those that are unknown, contradict each other or would change nothing.
[[nodiscard]] Hooks hooksFor(const Options& options, const RankIdentity& identity);

/// The catalogue, for --list-faults.
[[nodiscard]] std::string describeFaults();

} // namespace ringside::trainer
