// SPDX-License-Identifier: Apache-2.0
// Reads the output of a job and logs of the kernel for the first symptom of its death.
#pragma once
#include "hang/hang.h"

#include <filesystem>
#include <vector>

namespace ringside::cli {

/// Null if no file tells which rank had the first symptom. Files that cannot be read, and files that are no
/// text, are left out.
[[nodiscard]] std::optional<hang::Witness> firstSymptomOf(const std::vector<std::filesystem::path>& files);

} // namespace ringside::cli
