// SPDX-License-Identifier: Apache-2.0
// Reads the text that RAS writes for people: its sections "Errors" and "Warnings".
#include "hang/ras_answer.h"
#include "values/parse_number.h"

#include <algorithm>

namespace ringside::hang {
namespace {

/// Removes `word` from the beginning of `text` if it is there.
bool removeWord(std::string_view& text, std::string_view word)
{
    const bool there = text.starts_with(word);
    text.remove_prefix(there ? word.size() : 0);
    return there;
}

std::optional<std::int64_t> numberAfter(std::string_view line, std::string_view words)
{
    const std::size_t at = line.find(words);
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    line.remove_prefix(at + words.size());
    const auto number = values::takeNumber<std::int64_t>(line);
    return number && *number >= 0 ? number : std::nullopt;
}

class Reader final {
public:
    void read(std::string_view line)
    {
        if (line.starts_with('#')) {
            beginCommunicator(line);
        } else if (!line.starts_with(' ')) {
            m_communicator = nullptr; // a heading, or the processes that are missing or dead
            m_inSilent = line.starts_with("INCOMPLETE") || line.starts_with("DEAD");
        } else {
            readDetail(values::trimmed(line));
        }
    }
    RasAnswer answer() { return std::move(m_answer); }

private:
    /// "#0-1 (0123456789abcdef) MISMATCH"
    void beginCommunicator(std::string_view line)
    {
        m_communicator = nullptr;
        m_function = {};
        const std::size_t open = line.find('(');
        const std::size_t close = line.find(')');
        if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
            return;
        }
        const auto hash = values::parseNumber<std::uint64_t>(line.substr(open + 1, close - open - 1), 16);
        if (!hash) {
            return;
        }
        m_inSilent = line.find("INCOMPLETE", close) != std::string_view::npos;
        const auto known = std::ranges::find(m_answer.communicators, *hash, &RasCommunicator::hash);
        if (known != m_answer.communicators.end()) {
            m_communicator = &*known;
            return;
        }
        m_answer.communicators.push_back({*hash, {}, {}});
        m_communicator = &m_answer.communicators.back();
    }

    void readDetail(std::string_view line)
    {
        if (const auto pid = line.starts_with("Process ") ? numberAfter(line, "Process ") : std::nullopt) {
            m_answer.pids.push_back(*pid);
            if (m_inSilent && m_communicator == nullptr) {
                m_answer.silentPids.push_back(*pid);
            }
        } else if (m_communicator == nullptr) {
            return;
        } else if (removeWord(line, "Communicator ranks have different ")) {
            const std::size_t end = line.find(" operation counts");
            m_function = end != std::string_view::npos ? line.substr(0, end) : ""; // else their status
        } else if (line.starts_with("Rank ")) {
            readRank(line);
        } else if (const auto ranks = values::takeNumber<std::uint64_t>(line); ranks && !m_function.empty()) {
            beginGroup(line, *ranks);
        }
    }

    /// "3 ranks have launched up to operation 412", or "... have not launched any operations"
    void beginGroup(std::string_view line, std::uint64_t ranks)
    {
        const auto launched = numberAfter(line, "launched up to operation ");
        if (launched || line.find("have not launched") != std::string_view::npos) {
            m_communicator->counts.push_back(
                {std::string(m_function), static_cast<std::uint64_t>(launched.value_or(0)), ranks, {}});
        }
    }

    /// "Rank 5 -- GPU 5 managed by process 4242 on node 10.0.0.1", or with a count before the dashes
    void readRank(std::string_view line)
    {
        const auto number = numberAfter(line, "Rank ");
        if (!number) {
            return;
        }
        const RasRank rank{*number, numberAfter(line, "managed by process ")};
        if (rank.pid) {
            m_answer.pids.push_back(*rank.pid);
        }
        const auto launched = numberAfter(line, "launched up to operation ");
        if (m_inSilent) {
            m_communicator->silent.push_back(rank);
        } else if (launched || line.find("has not launched") != std::string_view::npos) {
            m_communicator->counts.push_back(
                {std::string(m_function), static_cast<std::uint64_t>(launched.value_or(0)), 1, {rank}});
        } else if (auto& counts = m_communicator->counts; !counts.empty() &&
                                                          counts.back().function == m_function &&
                                                          counts.back().known.size() < counts.back().ranks) {
            counts.back().known.push_back(rank);
        }
    }

    RasAnswer m_answer;
    RasCommunicator* m_communicator = nullptr; ///< whose lines these are
    std::string_view m_function;               ///< whose counts differ; empty: none
    bool m_inSilent = false;
};

} // namespace

std::optional<RasAnswer> parseRasText(std::string_view text)
{
    if (!text.starts_with("NCCL version ")) {
        return std::nullopt;
    }
    const std::size_t errors = text.find("\nErrors\n");
    if (errors == std::string_view::npos) {
        return std::nullopt; // it broke off
    }
    text.remove_prefix(errors + 1);
    Reader reader;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (end > 0) {
            reader.read(text.substr(0, end));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return reader.answer();
}

std::optional<RasAnswer> parseRasAnswer(std::string_view answer)
{
    return answer.starts_with('{') ? parseRasJson(answer) : parseRasText(answer);
}

} // namespace ringside::hang
