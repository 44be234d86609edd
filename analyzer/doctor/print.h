// SPDX-License-Identifier: Apache-2.0
// What the doctor found, for people and for programs. Differences between hosts come first: a job is as slow
// as its slowest host, and the one that is unlike the others is where to look.
#pragma once
#include "doctor/check.h"

namespace ringside::doctor {

struct Patient {
    Host host;
    std::vector<Advice> advice;
};
struct Visit {
    std::vector<Patient> patients;
    std::vector<Difference> differences;
};

enum class Style : std::uint8_t { Text, Markdown };

/// `width`: of prose, in characters. `fixes`: only the commands, with what each is for.
[[nodiscard]] std::string textOf(const Visit& visit, Style style, std::size_t width);
[[nodiscard]] std::string fixesOf(const Visit& visit, std::size_t width);
/// "ringside-doctor/1", by analyzer/doctor/ringside-doctor-1.schema.json.
[[nodiscard]] std::string jsonOf(const Visit& visit);

} // namespace ringside::doctor
