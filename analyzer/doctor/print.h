// SPDX-License-Identifier: Apache-2.0
// Results of the doctor, as text and JSON. Differences between hosts come first: a job is as slow as its
// slowest host, and a host that differs from the others is the first to check.
#pragma once
#include "doctor/check.h"

namespace ringside::doctor {

struct ExaminedHost {
    Host host;
    std::vector<Advice> advice;
    std::vector<NotKnown> notKnown;
};
struct Examination {
    std::vector<ExaminedHost> hosts;
    std::vector<Difference> differences;
};

enum class Style : std::uint8_t { Text, Markdown };

/// `width` is the width of prose in characters. `Style::Fixes` prints only the commands, each with its
/// purpose.
[[nodiscard]] std::string textOf(const Examination& examination, Style style, std::size_t width);
[[nodiscard]] std::string fixesOf(const Examination& examination, std::size_t width);
/// Returns "ringside-doctor/1", see analyzer/doctor/ringside-doctor-1.schema.json.
[[nodiscard]] std::string jsonOf(const Examination& examination);

} // namespace ringside::doctor
