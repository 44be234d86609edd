// SPDX-License-Identifier: Apache-2.0
// Faults on demand. A fault is one file in faults/ that defines `fault_<file name>`. It may only use the
// hooks that the trainer offers, so that a training without faults runs no code of them.
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

/// The settings of a --fault, defaults included. All functions throw Failure for invalid values.
class FaultSettings final {
public:
    FaultSettings(std::string_view fault, std::map<std::string, std::string, std::less<>> values)
        : m_fault(fault), m_values(std::move(values))
    {}
    /// Returns the fault and, if it has one, its rank: at most one fault is allowed for each subject.
    [[nodiscard]] std::string subject() const;
    [[nodiscard]] double positive(std::string_view key) const;
    [[nodiscard]] unsigned count(std::string_view key) const;
    /// Returns whether the setting "rank" names this rank. Throws Failure for a rank outside the world.
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
/// Returns every fault by name; the build generates the list from the file names.
std::span<const Fault* const> all();
} // namespace faults

/// Returns the hooks of this rank for the faults of the command line, NAME[:KEY=VALUE,...] each. Throws
/// Failure for faults that are unknown, contradict each other or would change nothing.
[[nodiscard]] Hooks hooksFor(const Options& options, const RankIdentity& identity);

/// Returns the catalogue for --list-faults.
[[nodiscard]] std::string describeFaults();

} // namespace ringside::trainer
