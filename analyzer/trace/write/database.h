// SPDX-License-Identifier: Apache-2.0
// SQLite with C++ lifetimes: a connection and prepared statements that throw ringside::Error. It contains
// only what traces need. Values are bound and read by the C++ type of a row's member, so that generated SQL
// and rows fit together.
#pragma once
#include "trace/vocabulary/severity.h"
#include "trace/vocabulary/word.h"

#include <ringside/error.h>

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace ringside::trace {

class Database final {
public:
    /// `flags` as in sqlite3_open_v2. SQLITE_OPEN_NOMUTEX is added, because a connection belongs to one
    /// thread.
    Database(const std::filesystem::path& path, int flags);
    Database(const std::string& uri, const std::filesystem::path& path, int flags);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    void execute(const std::string& sql);
    /// Returns the first column of the first row, or null if there is no row.
    [[nodiscard]] std::optional<std::int64_t> queryInteger(const std::string& sql);
    [[nodiscard]] sqlite3* handle() const { return m_handle; }
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    /// Throws the last error of SQLite on this connection as one line. `what` is the statement or the
    /// operation.
    [[noreturn]] void fail(std::string_view what) const;

private:
    std::filesystem::path m_path;
    sqlite3* m_handle = nullptr;
};

class Statement final {
public:
    Statement(const Database& database, const std::string& sql);
    ~Statement();
    Statement(Statement&& other) noexcept;
    Statement& operator=(Statement&&) = delete;
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    template <class T>
    void bind(int index, const T& value);
    /// Texts and blobs are not copied; they must be valid until run() or the next bind.
    void bindBlob(int index, std::span<const std::byte> blob);
    [[nodiscard]] bool step(); ///< false if there are no more rows
    void run();                ///< steps to the end and resets
    void reset();

    template <class T>
    [[nodiscard]] T column(int index) const;
    [[nodiscard]] std::span<const std::byte> blob(int index) const; ///< valid until the next step

private:
    void check(int code) const;
    void bindInteger(int index, std::int64_t value);
    void bindReal(int index, double value);
    void bindText(int index, std::string_view text);
    void bindNull(int index);
    [[nodiscard]] bool isNull(int index) const;
    [[nodiscard]] std::int64_t integer(int index) const;
    [[nodiscard]] double real(int index) const;
    [[nodiscard]] std::string text(int index) const;

    const Database* m_database;
    sqlite3_stmt* m_statement = nullptr;
};

template <class T>
void Statement::bind(int index, const T& value)
{
    if constexpr (std::is_integral_v<T>) {
        bindInteger(index, static_cast<std::int64_t>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
        bindReal(index, value);
    } else if constexpr (std::is_convertible_v<T, std::string_view>) {
        bindText(index, value);
    } else if constexpr (std::is_same_v<T, Severity>) {
        bindText(index, severityName(value));
    } else if constexpr (kIsWord<T>) {
        bindText(index, value.text());
    } else if (value.has_value()) {
        bind(index, *value);
    } else {
        bindNull(index);
    }
}

template <class T>
T Statement::column(int index) const
{
    if constexpr (std::is_same_v<T, bool>) {
        return integer(index) != 0;
    } else if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(integer(index));
    } else if constexpr (std::is_floating_point_v<T>) {
        return real(index);
    } else if constexpr (std::is_same_v<T, std::string>) {
        return text(index);
    } else if constexpr (std::is_same_v<T, Severity>) {
        return severityOf(text(index));
    } else if constexpr (kIsWord<T>) {
        return T::stored(text(index));
    } else {
        return isNull(index) ? T{} : T{column<typename T::value_type>(index)};
    }
}

} // namespace ringside::trace
