// SPDX-License-Identifier: Apache-2.0
// Entry points of the loadable extension: `.load ringside_sqlite` in the sqlite3 shell, load_extension
// elsewhere.
#include <ringside/trace/virtual_tables.h>

#include <sqlite3ext.h>

extern "C" {
SQLITE_EXTENSION_INIT1

/// Under the name SQLite derives from the file name.
__attribute__((visibility("default"))) int sqlite3_ringsidesqlite_init(sqlite3* database, char** /*message*/,
                                                                       const sqlite3_api_routines* api)
{
    SQLITE_EXTENSION_INIT2(api)
    return ringside::trace::registerVirtualTables(database);
}

/// Under the name SQLite tries first.
__attribute__((visibility("default"))) int sqlite3_extension_init(sqlite3* database, char** message,
                                                                  const sqlite3_api_routines* api)
{
    return sqlite3_ringsidesqlite_init(database, message, api);
}
}
