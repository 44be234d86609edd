// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/extension/sqlite_api.h"

#include <string_view>

namespace ringside::trace {

/// Kernels with their names and launch configurations in words. FORMAT.md has its columns.
inline constexpr std::string_view kKernelView = "kernel_detail";

/// Creates the view in the connection's temporary database, if the main database is a trace. Returns SQLite's
/// result code.
[[nodiscard]] int createViews(sqlite3* database);

} // namespace ringside::trace
