// SPDX-License-Identifier: Apache-2.0
// Reads what the recording profiler plugin wrote down.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ringside::test {

/// One call of the plugin: "start", "stop", "state", "init" or "finalize", and its values by name.
struct ProfilerCall {
    std::string what;
    std::map<std::string, std::string> values;

    [[nodiscard]] const std::string& text(const std::string& name) const { return values.at(name); }
    [[nodiscard]] std::uint64_t number(const std::string& name) const { return std::stoull(values.at(name)); }
};

class ProfilerLog final {
public:
    explicit ProfilerLog(const std::string& path);

    [[nodiscard]] const std::vector<ProfilerCall>& calls() const { return m_calls; }
    /// The calls of one kind, for "start" those of one event type.
    [[nodiscard]] std::vector<ProfilerCall> all(const std::string& what) const;
    [[nodiscard]] std::vector<ProfilerCall> started(std::uint64_t type) const;
    /// The only start of that type; throws when there is not exactly one.
    [[nodiscard]] ProfilerCall theStart(std::uint64_t type) const;
    /// The position of the call `what` about `handle`; throws when there is none.
    [[nodiscard]] std::size_t position(const std::string& what, std::uint64_t handle) const;

private:
    std::vector<ProfilerCall> m_calls;
};

} // namespace ringside::test
