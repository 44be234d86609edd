// SPDX-License-Identifier: Apache-2.0
#include "hang/witness.h"

#include "hang/confidence.h"
#include "words/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace ringside::hang {
namespace {

using Ranks = std::vector<std::int64_t>;

bool isAmong(const Ranks& some, const Ranks& all)
{
    return std::ranges::all_of(some,
                               [&](std::int64_t rank) { return std::ranges::find(all, rank) != all.end(); });
}

Ranks sorted(Ranks ranks)
{
    std::ranges::sort(ranks);
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
}

/// Returns the ranks of the report of which the witness has nothing.
Ranks silentRanks(const Report& report, const Witness& witness)
{
    Ranks silent;
    for (const RankReport& rank : report.ranks) {
        if (std::ranges::find(witness.heard, rank.rank) == witness.heard.end()) {
            silent.push_back(rank.rank);
        }
    }
    return sorted(std::move(silent));
}

/// Returns what a report says as a clause: "rank 2 is missing".
std::string clauseOf(Kind kind, const Ranks& blamed)
{
    const bool one = blamed.size() == 1;
    switch (kind) {
    case Kind::Missing:
        return fmt::format("{} {} missing", rankList(blamed), one ? "is" : "are");
    case Kind::Mismatch:
        return fmt::format("{} {} something else", rankList(blamed), one ? "calls" : "call");
    case Kind::Died:
        return blamed.empty() ? "ranks died" : fmt::format("{} died first", rankList(blamed));
    case Kind::Waiting:
        return blamed.empty() ? "all ranks issued the same and do not go on"
                              : fmt::format("all wait for {}", rankList(blamed));
    case Kind::Nothing:
        break;
    }
    return "no rank waits for another";
}

struct Verdict {
    Agreement agreement = Agreement::Undecided;
    std::string sentence;
};

/// Returns what would decide between the two: where the ranks stand of which they say different things.
std::string whatDecides(const Ranks& ours, const Ranks& theirs)
{
    Ranks disputed;
    std::ranges::set_symmetric_difference(ours, theirs, std::back_inserter(disputed));
    disputed = disputed.empty() ? ours : disputed;
    return fmt::format("Where {} at one moment decides it: `ringside hang --stacks RUN` shows it while the "
                       "job lives, and dumps that all ranks wrote together show it later.",
                       disputed.empty()       ? "all ranks stand"
                       : disputed.size() == 1 ? rankList(disputed) + " stands"
                                              : rankList(disputed) + " stand");
}

Verdict disagree(const Report& report, const Ranks& ours, const Witness& witness)
{
    return {Agreement::Disagrees,
            fmt::format("It disagrees with this recording: it says that {}; this "
                        "recording says that {}. It may be of an earlier moment. {}",
                        clauseOf(witness.kind, witness.blamed), clauseOf(report.kind, ours),
                        whatDecides(ours, witness.blamed))};
}

Verdict compare(const Report& report, const Witness& witness)
{
    const Ranks ours = blamedRanks(report);
    if (!ours.empty() && ours == witness.blamed) {
        const bool same = report.kind == witness.kind;
        return {Agreement::Agrees,
                same
                    ? fmt::format("It agrees with this recording: {}.", clauseOf(report.kind, ours))
                    : fmt::format("It agrees on {}: it says that {}; this recording says that {}.",
                                  rankList(ours), clauseOf(witness.kind, ours), clauseOf(report.kind, ours))};
    }
    if (witness.open) {
        return {Agreement::Undecided, "It does not tell for whom ranks wait."};
    }
    if (report.open && !witness.blamed.empty()) {
        return {Agreement::Undecided, fmt::format("It tells what this recording does not know: {}.",
                                                  clauseOf(witness.kind, witness.blamed))};
    }
    const bool names = witness.kind == Kind::Missing || witness.kind == Kind::Mismatch;
    if (names && witness.blamed.empty()) {
        return {Agreement::Undecided, "It cannot be compared: the ranks that it means are not known here."};
    }
    if (report.kind == Kind::Died && witness.kind != Kind::Died) {
        return {Agreement::Undecided, fmt::format("It was written before the ranks ended: then, {}.",
                                                  clauseOf(witness.kind, witness.blamed))};
    }
    if (!ours.empty() && witness.blamed.empty() && isAmong(ours, witness.silent)) {
        return {Agreement::Undecided,
                fmt::format("It has nothing of {}, for which the others wait.", rankList(ours))};
    }
    if (ours.empty() && witness.blamed.empty() && report.kind == witness.kind) {
        return {Agreement::Agrees,
                fmt::format("It agrees with this recording: {}.", clauseOf(report.kind, ours))};
    }
    return disagree(report, ours, witness);
}

std::string lineOf(const StuckCollective& stuck)
{
    Ranks arrived;
    std::ranges::transform(stuck.arrived, std::back_inserter(arrived),
                           [](const Arrived& each) { return each.rank; });
    std::string text = fmt::format(
        "{} {}#{} of {}: issued by {}", stuck.call().function, stuck.pointToPoint ? "message " : "",
        stuck.order, stuck.name.empty() ? fmt::format("{:016x}", stuck.communicator) : stuck.name,
        rankList(arrived));
    text += stuck.missing.empty() ? "" : "; not by " + rankList(stuck.missing);
    text += stuck.different.empty() ? "" : "; differently by " + rankList(stuck.different);
    return text + (stuck.notRecorded > 0 ? fmt::format("; unknown of {} more", stuck.notRecorded) : "");
}

} // namespace

std::string_view agreementName(Agreement agreement)
{
    return agreement == Agreement::Agrees      ? "agrees"
           : agreement == Agreement::Disagrees ? "disagrees"
                                               : "undecided";
}

Ranks blamedRanks(const Report& report)
{
    if (report.kind == Kind::Died) {
        return report.diedFirst ? Ranks{*report.diedFirst} : Ranks{};
    }
    return report.origins.empty() ? Ranks{} : report.origins.front().ranks;
}

Witness witnessOf(const Report& theirs, std::string source, std::string title)
{
    Witness witness;
    witness.source = std::move(source);
    witness.title = std::move(title);
    witness.kind = theirs.kind;
    witness.open = theirs.open;
    witness.summary = theirs.summary;
    witness.blamed = blamedRanks(theirs);
    for (const RankReport& rank : theirs.ranks) {
        witness.heard.push_back(rank.rank);
    }
    for (const StuckCollective& stuck : theirs.collectives) {
        witness.details.push_back(lineOf(stuck));
    }
    return witness;
}

void hear(Report& report, Witness witness)
{
    witness.blamed = sorted(std::move(witness.blamed));
    witness.heard = sorted(std::move(witness.heard));
    if (witness.notAvailable.empty()) {
        witness.silent = silentRanks(report, witness);
        Verdict verdict = compare(report, witness);
        witness.agreement = verdict.agreement;
        witness.comparison = std::move(verdict.sentence);
    }
    report.witnesses.push_back(std::move(witness));
    weigh(report);
}

std::string witnessText(const Report& report)
{
    std::string text;
    for (const Witness& witness : report.witnesses) {
        if (!witness.notAvailable.empty()) {
            text += fmt::format("\n{}: {}\n", witness.title, witness.notAvailable);
            continue;
        }
        text += fmt::format("\n{} says: {}\n  {}\n", witness.title, words::render(witness.summary, {}),
                            witness.comparison);
        for (const std::string& line : witness.details) {
            text += "  " + line + "\n";
        }
        if (!witness.silent.empty()) {
            text += fmt::format("  It has nothing of {}.\n", rankList(witness.silent));
        }
    }
    return text;
}

} // namespace ringside::hang
