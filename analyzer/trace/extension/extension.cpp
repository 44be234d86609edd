// SPDX-License-Identifier: Apache-2.0
// Entry points of the loadable extension, for `.load ringside_sqlite` in the sqlite3 shell and load_extension
// elsewhere.
#include <ringside/trace/virtual_tables.h>

#include <sqlite3ext.h>

extern "C" {
SQLITE_EXTENSION_INIT1

/// The name that SQLite derives from the file name.
__attribute__((visibility("default"))) int sqlite3_ringsidesqlite_init(sqlite3* database, char** /*message*/,
                                                                       const sqlite3_api_routines* api)
{
    SQLITE_EXTENSION_INIT2(api)
    return ringside::trace::registerVirtualTables(database);
}

/// The name that SQLite tries first.
__attribute__((visibility("default"))) int sqlite3_extension_init(sqlite3* database, char** message,
                                                                  const sqlite3_api_routines* api)
{
    return sqlite3_ringsidesqlite_init(database, message, api);
}
}
