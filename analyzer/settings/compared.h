// SPDX-License-Identifier: Apache-2.0
// Which settings should be the same on all ranks of a job.
#pragma once
#include <ringside/trace/rows.h>

namespace ringside::settings {

/// Versions of libraries, and variables of the libraries that ranks talk through; not who a rank is, nor what
/// is free on its machine.
[[nodiscard]] bool isCompared(const trace::SettingRow& row);

} // namespace ringside::settings
