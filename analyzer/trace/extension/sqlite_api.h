// SPDX-License-Identifier: Apache-2.0
// SQLite's functions, called directly in the analyzer and through the loading program's table in the
// extension.
#pragma once
#ifdef RINGSIDE_SQLITE_EXTENSION
#include <sqlite3ext.h>
extern "C" const sqlite3_api_routines* sqlite3_api;
#else
#include <sqlite3.h>
#endif
