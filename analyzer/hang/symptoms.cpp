// SPDX-License-Identifier: Apache-2.0
#include "hang/symptoms.h"

#include "values/parse_number.h"
#include "words/first_symptom.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <string>

namespace ringside::hang {
namespace {

namespace symptom_text = words::first_symptom;
using words::say;
constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kMostSymptoms = 1 << 16;

struct Phrase {
    std::string_view words;
    SymptomKind kind;
};
/// As PyTorch, CUDA, NCCL, the kernel and shells print them. What breaks behind another rank comes first:
/// such a line may quote the other's words.
constexpr Phrase kPhrases[] = {
    {"Connection closed by", SymptomKind::Connection},
    {"Connection reset by peer", SymptomKind::Connection},
    {"Broken pipe", SymptomKind::Connection},
    {"remote process exited", SymptomKind::Connection},
    {"Watchdog caught collective operation timeout", SymptomKind::Connection},
    {"ncclRemoteError", SymptomKind::Connection},
    {"out of memory: Killed process", SymptomKind::HostMemory},
    {"Out of memory: Killed process", SymptomKind::HostMemory},
    {"DefaultCPUAllocator: can't allocate memory", SymptomKind::HostMemory},
    {"CUDA out of memory", SymptomKind::DeviceMemory},
    {"OutOfMemoryError", SymptomKind::DeviceMemory},
    {"cudaErrorMemoryAllocation", SymptomKind::DeviceMemory},
    {"returned nan values", SymptomKind::NotANumber},
    {"Segmentation fault", SymptomKind::Crash},
    {"segfault at", SymptomKind::Crash},
    {"Bus error", SymptomKind::Crash},
    {"illegal memory access", SymptomKind::Crash},
    {"device-side assert", SymptomKind::Crash},
    {"unspecified launch failure", SymptomKind::Crash},
};

bool isWordChar(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool hasWord(std::string_view line, std::string_view word)
{
    for (std::size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !isWordChar(line[at - 1])) && (end == line.size() || !isWordChar(line[end]))) {
            return true;
        }
    }
    return false;
}

std::string lowered(std::string_view line)
{
    std::string lower(line.substr(0, 4096));
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    return lower;
}

/// "loss=nan", "grad_norm: NaN": of a figure of the training, not of any other.
bool isLossNan(std::string_view line)
{
    const std::string lower = lowered(line);
    return hasWord(lower, "nan") &&
           (lower.find("loss") != std::string::npos || lower.find("grad") != std::string::npos);
}

/// Whether it tells how far the training came: "step 17", "loss=0.31", "Epoch: [3]". Lines of code in a
/// traceback have the words without a number.
bool tellsOfTraining(std::string_view line)
{
    constexpr std::array<std::string_view, 6> kWords{"loss", "step", "steps", "iter", "iteration", "epoch"};
    constexpr std::string_view kBetween = " :=[";
    const std::string lower = lowered(line);
    return std::ranges::any_of(kWords, [&](std::string_view word) {
        for (std::size_t at = lower.find(word); at != std::string::npos; at = lower.find(word, at + 1)) {
            const std::size_t number = lower.find_first_not_of(kBetween, at + word.size());
            if ((at == 0 || !isWordChar(lower[at - 1])) && number != std::string::npos &&
                number > at + word.size() && std::isdigit(static_cast<unsigned char>(lower[number])) != 0) {
                return true;
            }
        }
        return false;
    });
}

std::optional<SymptomKind> kindOf(std::string_view line)
{
    for (const Phrase& each : kPhrases) {
        if (line.find(each.words) != std::string_view::npos) {
            return each.kind;
        }
    }
    return isLossNan(line) ? std::optional(SymptomKind::NotANumber) : std::nullopt;
}

std::optional<std::int64_t> numberBehind(std::string_view line, std::string_view word)
{
    std::size_t at = line.find(word);
    while (at != std::string_view::npos && at > 0 && isWordChar(word.front()) && isWordChar(line[at - 1])) {
        at = line.find(word, at + 1); // local_rank=, node_rank=
    }
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    std::string_view rest = line.substr(at + word.size());
    const auto number = values::takeNumber<std::int64_t>(rest);
    return number && *number >= 0 && *number < 10'000'000 ? number : std::nullopt;
}

std::optional<std::int64_t> firstNumberBehind(std::string_view line,
                                              std::initializer_list<std::string_view> words)
{
    for (const std::string_view word : words) {
        if (const auto number = numberBehind(line, word)) {
            return number;
        }
    }
    return std::nullopt;
}

words::Text whatHappened(SymptomKind kind)
{
    switch (kind) {
    case SymptomKind::HostMemory:
        return symptom_text::host_memory;
    case SymptomKind::DeviceMemory:
        return symptom_text::device_memory;
    case SymptomKind::NotANumber:
        return symptom_text::not_a_number;
    case SymptomKind::Connection:
        return symptom_text::lost_peer;
    case SymptomKind::Crash:
        break;
    }
    return symptom_text::crashed;
}

} // namespace

SymptomLine readSymptomLine(std::string_view line, std::int64_t writtenNs)
{
    SymptomLine result;
    result.kind = kindOf(line);
    result.rank = firstNumberBehind(line, {"[rank", "[Rank ", "] rank ", " rank: ", "rank      : ", "rank="});
    result.pid = firstNumberBehind(line, {"Killed process ", "(pid: ", "pid="});
    if (const std::size_t at = line.find("]: segfault at"); !result.pid && at != std::string_view::npos) {
        const std::size_t open = line.rfind('[', at);
        result.pid = open == std::string_view::npos
                         ? std::nullopt
                         : values::parseNumber<std::int64_t>(line.substr(open + 1, at - open - 1));
    }
    result.stamp = values::stampIn(line, writtenNs);
    return result;
}

void Symptoms::beginFile(std::optional<std::int64_t> rank, std::int64_t writtenNs)
{
    ++m_files;
    m_fileRank = rank;
    m_writtenNs = writtenNs;
    m_namedRank.reset();
    m_outOfMemory.clear();
    m_earliestNs = kFirst;
    m_open = m_symptoms.size();
}

void Symptoms::add(std::string_view line)
{
    const SymptomLine said = readSymptomLine(line, m_writtenNs);
    const std::int64_t untilNs = said.stamp ? said.stamp->realtimeNs + said.stamp->resolutionNs : kLast;
    if (said.stamp) {
        for (; m_open < m_symptoms.size(); ++m_open) {
            m_symptoms[m_open].latestNs = std::min(m_symptoms[m_open].latestNs, untilNs);
        }
        m_earliestNs = said.stamp->realtimeNs;
    }
    m_namedRank = said.rank ? said.rank : m_namedRank;
    if (said.pid && m_namedRank) { // the tables of launchers and of NCCL name both
        m_rankOfPid.try_emplace(*said.pid, *m_namedRank);
    }
    const std::optional<std::int64_t> speaker = said.rank ? said.rank : m_fileRank;
    if (!said.kind && speaker && m_outOfMemory.contains(*speaker) && tellsOfTraining(line)) {
        noteTraining(*speaker);
    }
    const std::int64_t whose = said.rank ? *said.rank : said.pid ? -*said.pid - 2 : -1;
    if (said.kind && m_symptoms.size() < kMostSymptoms &&
        m_known.emplace(m_files, *said.kind, whose).second) { // what is repeated was not the first
        m_symptoms.push_back({*said.kind, said.rank ? said.rank : m_fileRank, said.pid, m_files, m_earliestNs,
                              untilNs, said.stamp.has_value()});
        m_open += said.stamp ? 1 : 0;
        if (said.kind == SymptomKind::DeviceMemory && speaker) {
            m_outOfMemory[*speaker] = m_symptoms.size() - 1;
        }
    }
}

/// A program that catches an out-of-memory goes on with a smaller batch: that was not its death. A later one
/// of the same rank counts again.
void Symptoms::noteTraining(std::int64_t rank)
{
    m_symptoms[m_outOfMemory.at(rank)].survived = true;
    m_outOfMemory.erase(rank);
    m_known.erase({m_files, SymptomKind::DeviceMemory, rank});
    m_known.erase({m_files, SymptomKind::DeviceMemory, -1});
}

std::optional<std::int64_t> Symptoms::rankOf(const Symptom& symptom) const
{
    const auto found = symptom.pid ? m_rankOfPid.find(*symptom.pid) : m_rankOfPid.end();
    return symptom.rank                 ? symptom.rank
           : found != m_rankOfPid.end() ? std::optional(found->second)
                                        : std::nullopt;
}

/// Lines of one file are in the order in which they were written.
bool Symptoms::isBefore(std::size_t one, std::size_t other) const
{
    const Symptom& a = m_symptoms[one];
    const Symptom& b = m_symptoms[other];
    return a.file == b.file ? one < other : a.latestNs <= b.earliestNs;
}

bool Symptoms::isFirst(std::size_t one) const
{
    const bool counts = m_symptoms[one].kind != SymptomKind::Connection && !m_symptoms[one].survived;
    const auto rank = counts ? rankOf(m_symptoms[one]) : std::nullopt;
    for (std::size_t other = 0; rank && other < m_symptoms.size(); ++other) {
        if (m_symptoms[other].survived) {
            continue;
        }
        const bool consequence = m_symptoms[other].kind == SymptomKind::Connection;
        const bool own = rankOf(m_symptoms[other]) == rank;
        if (!own && (consequence ? isBefore(other, one) : !isBefore(one, other))) {
            return false;
        }
    }
    return rank.has_value();
}

/// ", 2.1 s before the connections of ranks 0 to 4 broke"
words::Text Symptoms::aheadOf(std::size_t one) const
{
    std::vector<std::int64_t> ranks;
    const Symptom* next = nullptr;
    for (std::size_t other = 0; other < m_symptoms.size(); ++other) {
        const Symptom& each = m_symptoms[other];
        const auto rank = rankOf(each);
        if (rank == rankOf(m_symptoms[one]) || each.survived || !isBefore(one, other)) {
            continue;
        }
        if (rank && std::ranges::find(ranks, *rank) == ranks.end()) {
            ranks.push_back(*rank);
        }
        next = next == nullptr || each.earliestNs < next->earliestNs ? &each : next;
    }
    if (next == nullptr || ranks.empty()) {
        return {};
    }
    std::ranges::sort(ranks);
    const bool known = m_symptoms[one].timed && next->timed && next->earliestNs > m_symptoms[one].earliestNs;
    const words::Text time =
        known ? say(symptom_text::by, {{"time", next->earliestNs - m_symptoms[one].earliestNs}})
              : words::Text();
    return say(symptom_text::ahead, {{"time", time}, {"ranks", ranks}, {"what", whatHappened(next->kind)}});
}

std::optional<Witness> Symptoms::first() const
{
    for (std::size_t i = 0; i < m_symptoms.size(); ++i) {
        if (!isFirst(i)) {
            continue;
        }
        Witness witness;
        witness.source = "logs";
        witness.title = "The job's output";
        witness.kind = Kind::Died;
        witness.blamed = {*rankOf(m_symptoms[i])};
        for (const Symptom& each : m_symptoms) {
            if (const auto rank = rankOf(each)) {
                witness.heard.push_back(*rank);
            }
        }
        witness.summary = say(
            symptom_text::first,
            {{"ranks", witness.blamed}, {"what", whatHappened(m_symptoms[i].kind)}, {"ahead", aheadOf(i)}});
        return witness;
    }
    return std::nullopt;
}

} // namespace ringside::hang
