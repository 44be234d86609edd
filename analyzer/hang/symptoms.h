// SPDX-License-Identifier: Apache-2.0
// Which rank of a job that died had the first symptom, by what was printed: out of memory, values that are no
// numbers, crashes, and the connections of other ranks that broke behind them.
#pragma once
#include "hang/hang.h"
#include "values/log_time.h"

#include <map>
#include <set>
#include <string_view>
#include <tuple>

namespace ringside::hang {

enum class SymptomKind : std::uint8_t {
    HostMemory,   ///< the kernel ended it for want of memory, or it could get none
    DeviceMemory, ///< of its GPU
    NotANumber,
    Crash,
    Connection, ///< it lost a peer or waited too long: another rank was before it
};

/// What a line says.
struct SymptomLine {
    std::optional<SymptomKind> kind; ///< null: the line only has a time, a rank or a process
    std::optional<std::int64_t> rank;
    std::optional<std::int64_t> pid;
    std::optional<values::Stamp> stamp;
};
/// `writtenNs`: when the file was written last, since 1970: a time stamp without a year lies before it.
[[nodiscard]] SymptomLine readSymptomLine(std::string_view line, std::int64_t writtenNs);

/// Reads files line by line.
class Symptoms final {
public:
    /// `rank`: of all lines that name none; null if the file is of several ranks, or not known. `writtenNs`:
    /// as for readSymptomLine.
    void beginFile(std::optional<std::int64_t> rank, std::int64_t writtenNs);
    void add(std::string_view line);
    /// Returns the rank whose symptom was before all others. Null if no rank had a symptom of its own, or if
    /// it is not known which was the first.
    [[nodiscard]] std::optional<Witness> first() const;

private:
    struct Symptom {
        SymptomKind kind = SymptomKind::Crash;
        std::optional<std::int64_t> rank;
        std::optional<std::int64_t> pid;
        std::size_t file = 0;
        std::int64_t earliestNs = 0;
        std::int64_t latestNs = 0;
        bool timed = false;    ///< the line itself has a time stamp
        bool survived = false; ///< the rank went on training behind it
    };
    void noteTraining(std::int64_t rank);
    [[nodiscard]] std::optional<std::int64_t> rankOf(const Symptom& symptom) const;
    [[nodiscard]] bool isBefore(std::size_t one, std::size_t other) const;
    [[nodiscard]] bool isFirst(std::size_t one) const;
    [[nodiscard]] words::Text aheadOf(std::size_t one) const;

    std::vector<Symptom> m_symptoms; ///< of each file in the order of its lines
    /// File, kind, and the rank or process that a line names.
    std::set<std::tuple<std::size_t, SymptomKind, std::int64_t>> m_known;
    std::map<std::int64_t, std::int64_t> m_rankOfPid;
    std::map<std::int64_t, std::size_t> m_outOfMemory; ///< of this file: the last such symptom of each rank
    std::size_t m_files = 0;
    std::optional<std::int64_t> m_fileRank;
    std::optional<std::int64_t> m_namedRank; ///< by the last line "rank : 5" of a launcher's table
    std::int64_t m_writtenNs = 0;
    std::int64_t m_earliestNs = 0;
    std::size_t m_open = 0; ///< the symptoms from here on wait for the next time stamp of their file
};

} // namespace ringside::hang
