// SPDX-License-Identifier: Apache-2.0
// Decides which settings should be the same on all ranks of a job.
#pragma once
#include <ringside/trace/rows.h>

namespace ringside::settings {

/// Returns true for versions of libraries, and for variables of the libraries that ranks communicate through.
/// Returns false for the identity of a rank and for the state of its machine.
[[nodiscard]] bool isCompared(const trace::SettingRow& row);

} // namespace ringside::settings
