// SPDX-License-Identifier: Apache-2.0
// Connection of the writer to its database, with the current schema.
#pragma once
#include "trace/write/database.h"

#include <ringside/trace/writer.h>

namespace ringside::trace {

/// Creates an empty file for a database that only its owner can access. Throws if it exists or cannot be
/// created.
void makePrivateDatabase(const std::filesystem::path& path);

/// A separate member, because the statements beside it need the tables.
struct Connection {
    Connection(const std::filesystem::path& path, Writer::Mode mode);
    Database database;
};

} // namespace ringside::trace
