// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/extension/sqlite_api.h"

namespace ringside::trace {

/// demangled(TEXT): a kernel's name as people write it. Returns SQLite's result code.
[[nodiscard]] int registerFunctions(sqlite3* database);

} // namespace ringside::trace
