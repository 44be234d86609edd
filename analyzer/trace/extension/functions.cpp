// SPDX-License-Identifier: Apache-2.0
// SQL functions beside the virtual tables. Compiled twice, like the virtual tables.
#include "trace/extension/functions.h"

#include "trace/vocabulary/demangle.h"
#include "trace/vocabulary/occupancy.h"

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

constexpr int kOccupancyArguments = 5;

void occupancy(sqlite3_context* context, int, sqlite3_value** arguments)
{
    std::int64_t values[kOccupancyArguments];
    for (int i = 0; i < kOccupancyArguments; ++i) {
        if (sqlite3_value_type(arguments[i]) != SQLITE_INTEGER) {
            sqlite3_result_null(context);
            return;
        }
        values[i] = sqlite3_value_int64(arguments[i]);
    }
    if (const auto result = theoreticalOccupancy({values[0], values[1], values[2], values[3], values[4]})) {
        sqlite3_result_double(context, result->percent());
    } else {
        sqlite3_result_null(context);
    }
}

} // namespace

int registerFunctions(sqlite3* database)
{
    constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    const int code = sqlite3_create_function_v2(database, "demangled", 1, kFlags, nullptr, &demangle, nullptr,
                                                nullptr, nullptr);
    return code != SQLITE_OK
               ? code
               : sqlite3_create_function_v2(database, "theoretical_occupancy", kOccupancyArguments, kFlags,
                                            nullptr, &occupancy, nullptr, nullptr, nullptr);
}

} // namespace ringside::trace
