// SPDX-License-Identifier: Apache-2.0
// Machines with RDMA ports, described in port_fixtures/*.toml after public layouts: what lies in sysfs at
// each of four readings, and what `ringside links --live` must say of it.
#pragma once
#include <filesystem>
#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace ringside::test {

constexpr std::size_t kFixtureReadings = 4;

/// A file of a device: its text at each reading.
using FixtureFile = std::vector<std::string>;

struct FixtureExpectation {
    std::string rule, severity, port, cause, advice; ///< cause and advice: parts of title and advice
};

struct PortFixture {
    std::string name, vendor, layout;
    double hours = 0;                                                  ///< from the first to the last reading
    std::map<std::string, std::map<std::string, FixtureFile>> devices; ///< by device, by path below it
    /// Gains of series that sysfs does not have, by "source entity metric".
    std::map<std::string, std::int64_t> series;
    std::vector<FixtureExpectation> expected; ///< empty: healthy, no finding above information

    [[nodiscard]] bool healthy() const { return expected.empty(); }
};

/// Files of other tools, and what `ringside links --from` must say of them.
struct ToolFixture {
    std::string tool, name, layout;           ///< the layout's source, told once a tool
    std::vector<std::string> files;           ///< an hour apart; "eth2=FILE" names the port
    std::vector<FixtureExpectation> expected; ///< empty: healthy
};
[[nodiscard]] std::vector<ToolFixture> toolFixtures(const std::filesystem::path& file);

/// All fixtures of a folder, by file and in their order.
[[nodiscard]] std::vector<PortFixture> portFixtures(const std::filesystem::path& folder);

/// How a failing test names its case.
inline void PrintTo(const PortFixture& each, std::ostream* stream)
{
    *stream << each.vendor << ": " << each.name;
}

inline void PrintTo(const ToolFixture& each, std::ostream* stream)
{
    *stream << each.tool << ": " << each.name;
}

} // namespace ringside::test
