// SPDX-License-Identifier: Apache-2.0
// SQL functions beside the virtual tables. Compiled twice, like the virtual tables.
#include "trace/extension/functions.h"

#include "trace/vocabulary/demangle.h"

#include <exception>

namespace ringside::trace {
namespace {

void demangle(sqlite3_context* context, int, sqlite3_value** arguments)
try {
    const auto* const text = reinterpret_cast<const char*>(sqlite3_value_text(arguments[0]));
    if (text == nullptr) {
        sqlite3_result_null(context);
        return;
    }
    const std::string name = demangled(text);
    sqlite3_result_text(context, name.c_str(), static_cast<int>(name.size()), SQLITE_TRANSIENT);
} catch (const std::exception&) {
    sqlite3_result_error_nomem(context);
}

} // namespace

int registerFunctions(sqlite3* database)
{
    constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    return sqlite3_create_function_v2(database, "demangled", 1, kFlags, nullptr, &demangle, nullptr, nullptr,
                                      nullptr);
}

} // namespace ringside::trace
