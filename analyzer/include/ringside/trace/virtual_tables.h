// SPDX-License-Identifier: Apache-2.0
// kernel, copy, api_call, launch, call_correlation and graph_launch as tables for SQL, over the column chunks
// of a connection's main database. Read-only. FORMAT.md lists their columns.
#pragma once

struct sqlite3;

namespace ringside::trace {

/// Registers the tables with `database`. Returns SQLite's result code.
int registerVirtualTables(sqlite3* database);

} // namespace ringside::trace
