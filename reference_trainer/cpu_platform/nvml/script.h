// SPDX-License-Identifier: Apache-2.0
// Readings of the emulated devices over time, read once from the file that RINGSIDE_NVML_SCRIPT names
// (format: README.md beside this file). It never guesses: a bad file is an error, and a reading without a
// line is unknown.
#pragma once
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace ringside::nvml {

enum class Reading : std::uint8_t {
#define X(name, key) name,
#include "readings.def"
#undef X
};

constexpr int kEveryLink = -1;

/// A process that holds memory of a device.
struct ProcessEntry {
    unsigned pid;
    std::uint64_t bytes;
};
struct XidEntry {
    double seconds;
    int device;
    std::uint64_t number;
};

class Script final {
public:
    /// Returns the process's script; empty if the variable is not set.
    static const Script& get();
    /// Parses `text`; error() gives the place and reason of the first mistake.
    Script(const std::string& text, const std::string& path);

    [[nodiscard]] const std::string& error() const { return m_error; }
    /// Returns the value of the newest line up to that time. A line about one link overrides lines about all.
    [[nodiscard]] std::optional<double> value(int device, Reading reading, double seconds,
                                              int link = kEveryLink) const;
    /// Returns nullopt if no line up to that time sets processes.
    [[nodiscard]] std::optional<std::vector<ProcessEntry>> processes(int device, double seconds) const;
    /// Sorted by time.
    [[nodiscard]] const std::vector<XidEntry>& xids() const { return m_xids; }

private:
    struct Entry {
        double seconds;
        int device;
        int link;
        Reading reading;
        double value;
    };
    struct ProcessLine {
        double seconds;
        int device;
        ProcessEntry process;
    };
    struct Line {
        double seconds;
        std::vector<int> devices;
    };
    [[nodiscard]] bool parseLine(double seconds, std::istringstream& words);
    [[nodiscard]] bool parseWord(const std::string& word, const Line& line);
    [[nodiscard]] bool parseProcess(const std::string& text, const Line& line);
    [[nodiscard]] bool parseReading(const std::string& key, const std::string& text, const Line& line);

    std::vector<Entry> m_entries;
    std::vector<ProcessLine> m_processes;
    std::vector<XidEntry> m_xids;
    std::string m_error;
};

} // namespace ringside::nvml
