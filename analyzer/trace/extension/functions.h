// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/extension/sqlite_api.h"

namespace ringside::trace {

/// Registers demangled(TEXT), the readable name of a kernel, and theoretical_occupancy(...), its occupancy in
/// percent. Returns SQLite's result code.
[[nodiscard]] int registerFunctions(sqlite3* database);

} // namespace ringside::trace
