// SPDX-License-Identifier: Apache-2.0
// Common format of the scripts of the emulated NVML and libibverbs: lines that begin with a non-decreasing
// time, comments from '#' on, numbers of 0 or more, and errors that name their line.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <string>

namespace ringside::platform {

inline std::optional<double> scriptNumber(const std::string& text)
{
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return !text.empty() && *end == '\0' && value >= 0 ? std::optional(value) : std::nullopt;
}

inline std::optional<unsigned> wholeScriptNumber(const std::string& text, unsigned largest)
{
    const std::optional<double> value = scriptNumber(text);
    if (!value.has_value() || *value > largest || *value != static_cast<unsigned>(*value))
        return std::nullopt;
    return static_cast<unsigned>(*value);
}

/// A script's file.
struct ScriptFile {
    std::string path;
    std::string text;
    std::string error; ///< why it cannot be read
};

/// Reads the file that the environment variable names; empty if it is not set.
inline ScriptFile scriptNamedBy(const char* variable)
{
    const char* path = std::getenv(variable);
    if (path == nullptr || *path == '\0')
        return {};
    std::ifstream file(path);
    std::ostringstream text;
    if (!(text << file.rdbuf()))
        return {path, "",
                std::string(path) + " (" + variable +
                    "): cannot be read, or is empty; name an existing script"};
    return {path, text.str(), ""};
}

/// The process's script, read once; empty without the variable. `Script` takes a text and its path.
template <class Script>
Script* readNamedScript(const char* variable, std::string Script::*error)
{
    const ScriptFile file = scriptNamedBy(variable);
    auto* read = new Script(file.text, file.path);
    if (!file.error.empty())
        read->*error = file.error;
    return read;
}

/// Whether a script has no `error`; prints it otherwise.
inline bool isScriptGood(const std::string& error)
{
    if (!error.empty())
        std::fprintf(stderr, "ringside cpu platform: %s\n", error.c_str());
    return error.empty();
}

/// The time that scripts count from a library's start.
inline double monotonicS()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Gives `take` each line's seconds and the words after them. It returns what is wrong with them, or nothing.
/// Returns the first mistake with its place; empty: there is none.
inline std::string
readScriptLines(const std::string& text, const std::string& path,
                const std::function<std::string(double seconds, std::istringstream& words)>& take)
{
    std::istringstream lines(text);
    double last = 0;
    int count = 0;
    for (std::string line; std::getline(lines, line);) {
        ++count;
        std::istringstream words(line.substr(0, line.find('#')));
        std::string time;
        if (!(words >> time))
            continue;
        const std::optional<double> seconds = scriptNumber(time);
        const std::string mistake =
            !seconds.has_value() || *seconds < last
                ? "begins with '" + time + "': needs seconds, 0 or more, not before the line above"
                : take(*seconds, words);
        if (!mistake.empty())
            return path + ":" + std::to_string(count) + ": " + mistake;
        last = *seconds;
    }
    return "";
}

} // namespace ringside::platform
