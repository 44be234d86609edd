// SPDX-License-Identifier: Apache-2.0
// Runs a fake program under the preloaded collector in a folder of its own, and looks into the trace with
// plain SQL.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ringside::test {

class RecordedRun final {
public:
    enum class Collector { Preloaded, Absent };
    using Environment = std::vector<std::string>; ///< NAME=VALUE

    static std::filesystem::path makeDirectory();
    /// `command` is a file of the fakes' folder and its arguments; the run directory is emptied or removed at
    /// the end.
    explicit RecordedRun(const std::vector<std::string>& command, Collector collector = Collector::Preloaded,
                         const Environment& environment = {},
                         const std::filesystem::path& directory = makeDirectory());
    ~RecordedRun();
    RecordedRun(const RecordedRun&) = delete;
    RecordedRun& operator=(const RecordedRun&) = delete;

    int waitStatus = -1; ///< as waitpid gives it
    std::string output;  ///< stdout and stderr

    /// The program's own lines: the fake CUPTI says something, too, when the device tier had its time.
    [[nodiscard]] std::string programOutput() const;
    [[nodiscard]] std::filesystem::path directory() const { return m_directory; }
    [[nodiscard]] std::vector<std::filesystem::path> filesEndingIn(const std::string& ending) const;
    /// As `ringside recover` does, after a program that did not close its trace.
    void recover() const;
    /// The single value of a query over the run's only database.
    [[nodiscard]] std::int64_t number(const std::string& sql) const;
    [[nodiscard]] std::string text(const std::string& sql) const;

private:
    std::filesystem::path m_directory;
};

} // namespace ringside::test
