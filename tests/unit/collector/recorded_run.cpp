// SPDX-License-Identifier: Apache-2.0
#include "recorded_run.h"

#include <ringside/trace/recover.h>

#include <sqlite3.h>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace ringside::test {
namespace {

std::string readAll(int descriptor)
{
    std::string text;
    std::array<char, 4096> part{};
    for (ssize_t got = 0; (got = read(descriptor, part.data(), part.size())) > 0;) {
        text.append(part.data(), static_cast<std::size_t>(got));
    }
    return text;
}

void setVariables(const std::vector<std::string>& variables)
{
    for (const std::string& variable : variables) {
        const std::size_t equals = variable.find('=');
        setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
    }
}

} // namespace

std::filesystem::path RecordedRun::makeDirectory()
{
    std::string pattern = (std::filesystem::temp_directory_path() / "ringside-test-XXXXXX").string();
    return mkdtemp(pattern.data());
}

RecordedRun::RecordedRun(const std::vector<std::string>& command, Collector collector,
                         const Environment& environment, const std::filesystem::path& directory)
    : m_directory(directory)
{
    int pipeEnds[2] = {};
    EXPECT_EQ(pipe(pipeEnds), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(pipeEnds[1], STDOUT_FILENO);
        dup2(pipeEnds[1], STDERR_FILENO);
        close(pipeEnds[0]);
        close(pipeEnds[1]);
        setenv("RINGSIDE_DIR", m_directory.c_str(), 1);
        if (collector == Collector::Preloaded) {
            setenv("LD_PRELOAD", RINGSIDE_COLLECTOR, 1);
        }
        setVariables(environment);
        std::vector<std::string> words = command;
        words[0] = std::string(RINGSIDE_FAKES) + "/" + words[0];
        std::vector<char*> arguments;
        for (std::string& word : words) {
            arguments.push_back(word.data());
        }
        arguments.push_back(nullptr);
        execv(arguments[0], arguments.data());
        _exit(127);
    }
    close(pipeEnds[1]);
    output = readAll(pipeEnds[0]);
    close(pipeEnds[0]);
    waitpid(child, &waitStatus, 0);
}

RecordedRun::~RecordedRun()
{
    // Rings of a killed program lie where its .rings file says.
    for (const auto& list : filesEndingIn(".rings")) {
        std::FILE* file = std::fopen(list.c_str(), "r");
        std::array<char, 4096> line{};
        while (file != nullptr && std::fgets(line.data(), line.size(), file) != nullptr) {
            std::string folder(line.data());
            folder.resize(folder.find_last_not_of('\n') + 1);
            std::filesystem::remove_all(folder);
        }
        if (file != nullptr) {
            std::fclose(file);
        }
    }
    std::error_code busy; // a mount point stays
    std::filesystem::remove_all(m_directory, busy);
}

std::string RecordedRun::programOutput() const
{
    std::istringstream lines(output);
    std::string kept;
    for (std::string line; std::getline(lines, line);) {
        kept += line.starts_with("ringside[") || line.starts_with("cupti: ") ? "" : line + "\n";
    }
    return kept;
}

std::vector<std::filesystem::path> RecordedRun::filesEndingIn(const std::string& ending) const
{
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(m_directory)) {
        if (entry.path().string().ends_with(ending)) {
            found.push_back(entry.path());
        }
    }
    return found;
}

void RecordedRun::recover() const
{
    const auto report = trace::recover(m_directory);
    EXPECT_EQ(report.processes.size(), 1U);
    EXPECT_TRUE(report.skipped.empty());
}

std::string RecordedRun::text(const std::string& sql) const
{
    const auto databases = filesEndingIn(".db");
    EXPECT_EQ(databases.size(), 1U) << output;
    if (databases.size() != 1) {
        return {};
    }
    sqlite3* database = nullptr;
    sqlite3_open_v2(databases[0].c_str(), &database, SQLITE_OPEN_READONLY, nullptr);
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    std::string value;
    if (statement != nullptr && sqlite3_step(statement) == SQLITE_ROW) {
        const auto* bytes = sqlite3_column_text(statement, 0);
        value = bytes != nullptr ? reinterpret_cast<const char*>(bytes) : "NULL";
    }
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return value;
}

std::int64_t RecordedRun::number(const std::string& sql) const
{
    const std::string value = text(sql);
    EXPECT_FALSE(value.empty()) << sql;
    return std::strtoll(value.c_str(), nullptr, 10);
}

} // namespace ringside::test
