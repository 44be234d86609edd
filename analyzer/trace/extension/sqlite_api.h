// SPDX-License-Identifier: Apache-2.0
// The functions of SQLite. The analyzer calls them directly, the extension through the table of the program
// that loads it.
#pragma once
#ifdef RINGSIDE_SQLITE_EXTENSION
#include <sqlite3ext.h>
extern "C" const sqlite3_api_routines* sqlite3_api;
#else
#include <sqlite3.h>
#endif
