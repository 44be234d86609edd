// SPDX-License-Identifier: Apache-2.0
// What the emulated devices report over time, read once from the file that RINGSIDE_NVML_SCRIPT names
// (format: README.md beside this file). It never guesses: a bad file is an error, and what no line says is
// unknown.
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
    /// The process's script; empty without the variable.
    static const Script& get();
    /// Reads `text`; the first mistake makes `error()` say where and what.
    Script(const std::string& text, const std::string& path);

    [[nodiscard]] const std::string& error() const { return m_error; }
    /// What the newest line up to that moment says. What is said of one link goes before what is said of all.
    [[nodiscard]] std::optional<double> value(int device, Reading reading, double seconds,
                                              int link = kEveryLink) const;
    /// Nullopt if nothing is said of processes up to then.
    [[nodiscard]] std::optional<std::vector<ProcessEntry>> processes(int device, double seconds) const;
    /// In order of time.
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
