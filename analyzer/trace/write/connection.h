// SPDX-License-Identifier: Apache-2.0
// The writer's connection to its database, with today's schema in it.
#pragma once
#include "trace/write/database.h"

#include <ringside/trace/writer.h>

namespace ringside::trace {

/// An empty file for a database, its owner's alone. Throws where there is one, or where it cannot be made.
void makePrivateDatabase(const std::filesystem::path& path);

/// A member of its own in what uses it, because the statements beside it need the tables.
struct Connection {
    Connection(const std::filesystem::path& path, Writer::Mode mode);
    Database database;
};

} // namespace ringside::trace
