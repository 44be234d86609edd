// SPDX-License-Identifier: Apache-2.0
#include "hang/confidence.h"

#include "words/hang_verdict.h"

#include <algorithm>

namespace ringside::hang {
namespace {

namespace text = words::hang_verdict;
using words::say;

/// Members of the communicators on the way to the origin of which nothing is known, apart from the origin.
std::vector<std::int64_t> unknownMembers(const Report& report, const Origin& origin)
{
    std::vector<std::int64_t> unknown;
    for (const std::size_t call : origin.chain) {
        for (const std::int64_t rank : report.collectives[call].unknown) {
            const bool named = std::ranges::find(origin.ranks, rank) != origin.ranks.end();
            if (!named && std::ranges::find(unknown, rank) == unknown.end()) {
                unknown.push_back(rank);
            }
        }
    }
    std::ranges::sort(unknown);
    return unknown;
}

/// Returns what speaks against the first origin.
std::vector<words::Text> doubtsOf(const Report& report)
{
    std::vector<words::Text> doubts;
    if (report.firstByWait) {
        doubts.emplace_back(text::order_by_wait);
    }
    if (report.origins.empty()) {
        return doubts;
    }
    const Origin& first = report.origins.front();
    std::vector<std::int64_t> others;
    for (std::size_t i = 1; i < report.origins.size(); ++i) {
        others.insert(others.end(), report.origins[i].ranks.begin(), report.origins[i].ranks.end());
    }
    if (!others.empty()) {
        std::ranges::sort(others);
        doubts.push_back(say(text::several_origins, {{"ranks", others}}));
    }
    if (const auto unknown = unknownMembers(report, first); !unknown.empty()) {
        doubts.push_back(say(text::members_unknown, {{"ranks", unknown}}));
    }
    if (report.collectives[first.chain.back()].tied) {
        doubts.emplace_back(text::tie);
    }
    if (std::ranges::any_of(report.issues, [](const trace::IssueRow& issue) {
            return issue.is(trace::Issue::HangNotCompared);
        })) {
        doubts.emplace_back(text::not_compared);
    }
    return doubts;
}

} // namespace

std::string_view confidenceName(Confidence confidence)
{
    return confidence == Confidence::High ? "high" : confidence == Confidence::Medium ? "medium" : "low";
}

void weigh(Report& report)
{
    report.reasons = doubtsOf(report);
    std::size_t agree = 0;
    for (const Witness& witness : report.witnesses) {
        if (witness.agreement == Agreement::Disagrees) {
            report.reasons.push_back(say(text::witness_disagrees, {{"witness", witness.title}}));
        }
    }
    const bool doubted = !report.reasons.empty();
    for (const Witness& witness : report.witnesses) {
        if (witness.agreement == Agreement::Agrees) {
            ++agree;
            report.reasons.push_back(say(text::witness_agrees, {{"witness", witness.title}}));
        }
    }
    if (!doubted && agree == 0) {
        report.reasons.emplace_back(text::one_witness);
    }
    report.confidence = doubted ? Confidence::Low : agree == 0 ? Confidence::Medium : Confidence::High;
}

} // namespace ringside::hang
