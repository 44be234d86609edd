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

    /// `command` is a file of the fakes' folder and its arguments; `environment` is NAME=VALUE.
    explicit RecordedRun(const std::vector<std::string>& command, Collector collector = Collector::Preloaded,
                         const std::vector<std::string>& environment = {});
    ~RecordedRun();
    RecordedRun(const RecordedRun&) = delete;
    RecordedRun& operator=(const RecordedRun&) = delete;

    int waitStatus = -1; ///< as waitpid gives it
    std::string output;  ///< stdout and stderr

    [[nodiscard]] std::filesystem::path directory() const { return m_directory; }
    [[nodiscard]] std::vector<std::filesystem::path> filesEndingIn(const std::string& ending) const;
    /// The single value of a query over the run's only database.
    [[nodiscard]] std::int64_t number(const std::string& sql) const;
    [[nodiscard]] std::string text(const std::string& sql) const;

private:
    std::filesystem::path m_directory;
};

} // namespace ringside::test
