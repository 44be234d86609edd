// SPDX-License-Identifier: Apache-2.0
#include "report/cost_attribution.h"

#include "model/time.h"

#include <algorithm>
#include <tuple>

namespace ringside::report {
namespace {

/// Returns true if either finding names the other in partOf.
bool related(const rules::Finding& a, const rules::Finding& b)
{
    const auto names = [](const rules::Finding& one, const rules::Finding& other) {
        return std::find(one.partOf.begin(), one.partOf.end(), other.rule) != one.partOf.end();
    };
    return names(a, b) || names(b, a);
}

/// Returns true if a cause explains (a part of) a symptom, or of another symptom that is related to it.
bool explains(const rules::Finding& cause, const rules::Finding& symptom,
              const std::vector<rules::Finding>& findings)
{
    if (!cause.cause || cause.broken) {
        return false;
    }
    return related(cause, symptom) ||
           std::any_of(findings.begin(), findings.end(), [&](const rules::Finding& other) {
               return !other.cause && related(other, symptom) && related(cause, other);
           });
}

/// Returns the cost of a cause, or the part of a symptom's cost that its causes do not explain. If the causes
/// explain a quarter or more of a symptom (as in the verdict), it sorts behind the biggest of them. Returns
/// -1 if not estimated.
std::int64_t ownCost(const std::vector<rules::Finding>& findings, const rules::Finding& finding)
{
    constexpr std::int64_t kGoodPart = 4; // a quarter
    const std::int64_t whole = finding.costNsPerStep.value_or(-1);
    std::int64_t explained = 0;
    std::int64_t biggest = 0;
    for (const rules::Finding& cause : findings) {
        if (!finding.cause && explains(cause, finding, findings)) {
            explained = model::addCapped(explained, cause.costNsPerStep.value_or(0));
            biggest = std::max(biggest, cause.costNsPerStep.value_or(0));
        }
    }
    const std::int64_t own = whole > 0 ? std::max<std::int64_t>(0, whole - explained) : whole;
    return biggest > 0 && biggest >= whole / kGoodPart ? std::min(own, biggest - 1) : own;
}

/// What restates a loss is shown as a part of it, and so must not be more severe.
bool mayHide(const rules::Finding& loss, const rules::Finding& restatement)
{
    return loss.severity >= restatement.severity;
}

/// Returns true if a finding is at least three quarters of the finding that includes it. A smaller part has
/// its own remedy: 16-bit gradients save transfer even if a rank is late.
bool isNearlyAllOf(const rules::Finding& part, std::string_view holder,
                   const std::vector<rules::Finding>& findings)
{
    const auto whole = std::ranges::find(findings, holder, &rules::Finding::rule);
    return whole != findings.end() && whole->costNsPerStep && mayHide(*whole, part) &&
           *part.costNsPerStep >= *whole->costNsPerStep / 4 * 3;
}

/// Returns the finding that this one restates, or null.
const rules::Finding* restated(const std::vector<rules::Finding>& findings, const rules::Finding& finding)
{
    const auto found = std::ranges::find(findings, finding.restates, &rules::Finding::rule);
    return finding.restates.empty() || found == findings.end() ? nullptr : &*found;
}

} // namespace

HolderNames holdersOf(const std::vector<rules::Finding>& findings)
{
    HolderNames holders;
    for (const rules::Finding& finding : findings) {
        const auto holds = [&](std::string_view rule) {
            return std::any_of(findings.begin(), findings.end(), [&](const rules::Finding& other) {
                return other.rule == rule && finding.costNsPerStep &&
                       other.costNsPerStep >= finding.costNsPerStep;
            });
        };
        const auto kept = std::find_if(finding.partOf.begin(), finding.partOf.end(), holds);
        holders.push_back(kept == finding.partOf.end() ? std::vector<std::string_view>()
                                                       : std::vector{*kept});
    }
    return holders;
}

void clipToHolders(std::vector<rules::Finding>& findings)
{
    for (rules::Finding& finding : findings) {
        for (const rules::Finding& holder : findings) {
            const bool same =
                !finding.ranks.empty() && finding.ranks == holder.ranks &&
                std::find(finding.partOf.begin(), finding.partOf.end(), holder.rule) != finding.partOf.end();
            if (same && finding.costNsPerStep && holder.costNsPerStep &&
                *finding.costNsPerStep > *holder.costNsPerStep) {
                finding.costNsPerStep = holder.costNsPerStep;
                finding.severity = std::min(finding.severity, holder.severity);
            }
        }
    }
}

void findRestatements(std::vector<rules::Finding>& findings, const HolderNames& holders)
{
    for (std::size_t i = 0; i < findings.size(); ++i) {
        rules::Finding& finding = findings[i];
        if (finding.cause || !finding.costNsPerStep) {
            continue;
        }
        std::int64_t explained = 0;
        const rules::Finding* biggest = nullptr;
        for (const rules::Finding& cause : findings) {
            if (cause.cause && !cause.broken && cause.costNsPerStep && related(cause, finding)) {
                explained = model::addCapped(explained, *cause.costNsPerStep);
                biggest =
                    biggest == nullptr || *cause.costNsPerStep > *biggest->costNsPerStep ? &cause : biggest;
            }
        }
        if (biggest != nullptr && mayHide(*biggest, finding) && explained >= *finding.costNsPerStep / 2) {
            finding.restates = biggest->rule;
        } else if (!holders[i].empty() && isNearlyAllOf(finding, holders[i].front(), findings)) {
            finding.restates = holders[i].front();
        }
    }
}

void sortFindings(std::vector<rules::Finding>& findings, const HolderNames& holders)
{
    using Key = std::tuple<bool, std::int64_t, bool, std::int64_t, std::size_t>;
    std::vector<std::pair<Key, rules::Finding>> keyed;
    for (const rules::Finding& finding : findings) {
        keyed.emplace_back(Key(!finding.broken, -ownCost(findings, finding), !finding.cause,
                               -finding.costNsPerStep.value_or(-1), finding.partOf.size()),
                           finding);
    }
    for (std::size_t i = 0; i < findings.size(); ++i) {
        keyed[i].second.partOf = holders[i];
    }
    std::stable_sort(keyed.begin(), keyed.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < findings.size(); ++i) {
        findings[i] = std::move(keyed[i].second);
    }
}

const rules::Finding& lossOf(const std::vector<rules::Finding>& findings, const rules::Finding& finding)
{
    const rules::Finding* loss = &finding;
    for (std::size_t i = 0; i < findings.size(); ++i) { // bounded, so that a cycle of rules ends too
        const rules::Finding* const whole = restated(findings, *loss);
        loss = whole != nullptr ? whole : loss;
    }
    return *loss;
}

} // namespace ringside::report
