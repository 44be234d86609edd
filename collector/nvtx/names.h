// SPDX-License-Identifier: Apache-2.0
// Texts that NVTX gives out as handles: domains and registered strings. A handle is the address of one of
// these; it gets its string id at the first event that is recorded, so that a program that only registers
// names starts nothing.
#pragma once
#include "record/session.h"

#include <atomic>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::collector::nvtx {

struct Name {
    std::string text;
    std::optional<StepSource> step; ///< when a range of this name is a training step
    std::atomic<StringId> id{0};
};

/// Never freed: programs use handles until their last breath.
Name* makeName(std::string_view text);
StringId idOf(Name* name);
/// UTF-32, as wchar_t is on Linux.
std::string toUtf8(const wchar_t* text);

} // namespace ringside::collector::nvtx
