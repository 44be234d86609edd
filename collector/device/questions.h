// SPDX-License-Identifier: Apache-2.0
// Calls of CUDA that only ask: they cause no device work, programs make thousands of them a second, and the
// collector makes some on their threads.
#pragma once
#include "device/cupti_library.h"

#include <string_view>

namespace ringside::collector {

/// By CUDA's way of naming its functions.
[[nodiscard]] bool isQuestion(std::string_view function);

/// Tells CUPTI, from 12.5 on, to make no records of questions. After the kinds RUNTIME and DRIVER were
/// enabled, which puts all their functions on. Older ones go on making them.
void leaveOutQuestions(const CuptiLibrary& cupti);

} // namespace ringside::collector
