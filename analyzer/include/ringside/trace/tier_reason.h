// SPDX-License-Identifier: Apache-2.0
// Column `reason` of table `tier`: the reasons of a tier's sources, as the recorder writes them and the
// analyzer reads them.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::trace {

inline constexpr std::string_view kReasonJoint = "; ";
/// What a source says whose values another process of the host records; the name of that process follows.
inline constexpr std::string_view kSampledBy = "sampled by ";

/// Adds "SOURCE: WHY" to the reasons of a tier.
inline void addReason(std::string& reasons, std::string_view source, std::string_view why)
{
    reasons.append(reasons.empty() ? std::string_view() : kReasonJoint)
        .append(source)
        .append(": ")
        .append(why);
}

struct TierReason {
    std::string_view text;
    std::string_view sampledBy; ///< HOST-PID of the process that records the values instead; empty: none does
};

/// The views point into `reasons`.
inline std::vector<TierReason> readReasons(std::string_view reasons)
{
    std::vector<TierReason> result;
    while (!reasons.empty()) {
        const std::string_view text = reasons.substr(0, reasons.find(kReasonJoint));
        reasons.remove_prefix(std::min(reasons.size(), text.size() + kReasonJoint.size()));
        const std::size_t colon = text.find(": ");
        const std::string_view why =
            colon == std::string_view::npos ? std::string_view() : text.substr(colon + 2);
        if (!text.empty()) {
            result.push_back({text, why.starts_with(kSampledBy) ? why.substr(kSampledBy.size()) : ""});
        }
    }
    return result;
}

} // namespace ringside::trace
