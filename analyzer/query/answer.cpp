// SPDX-License-Identifier: Apache-2.0
#include "query/answer.h"

#include "output/json_value.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::query {
namespace {

Json jsonValue(const Value& value)
{
    return std::visit(
        [](const auto& held) -> Json {
            if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) {
                return nullptr;
            } else {
                return held;
            }
        },
        value);
}

document::Cell cellOf(const Value& value)
{
    return std::visit(
        [](const auto& held) -> document::Cell {
            using Held = std::decay_t<decltype(held)>;
            if constexpr (std::is_same_v<Held, std::monostate>) {
                return std::string();
            } else if constexpr (std::is_same_v<Held, double>) {
                return {held, values::Unit::Count, {.kind = document::NumberStyle::Kind::Exact}};
            } else {
                return held;
            }
        },
        value);
}

} // namespace

Place placeOf(std::string_view sql, std::size_t offset)
{
    const std::string_view before = sql.substr(0, offset);
    const auto line = before.substr(before.rfind('\n') + 1); // npos + 1 is the beginning
    const auto isFirstByte = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
    return {static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1,
            static_cast<std::size_t>(std::ranges::count_if(line, isFirstByte)) + 1};
}

std::string mistakeText(std::string_view sql, const Mistake& mistake)
{
    if (!mistake.offset) {
        return mistake.what;
    }
    const Place place = placeOf(sql, *mistake.offset);
    return fmt::format("line {}, column {}: {}", place.line, place.column, mistake.what);
}

std::string endText(const Answer& answer)
{
    switch (answer.end) {
    case End::Complete:
        return {};
    case End::RowLimit:
        return fmt::format("Only the first {} rows are shown.", answer.rows.size());
    case End::TimeLimit:
        return fmt::format("Stopped at the time limit, after {} rows.", answer.rows.size());
    case End::Cancelled:
        break;
    }
    return fmt::format("Cancelled, after {} rows.", answer.rows.size());
}

std::string valueText(const Value& value)
{
    return document::exactText(cellOf(value));
}

document::Table tableOf(const Answer& answer)
{
    document::Table table{answer.columns, {}};
    for (const auto& row : answer.rows) {
        std::ranges::transform(row, std::back_inserter(table.rows.emplace_back()), cellOf);
    }
    return table;
}

std::string jsonOf(const Answer& answer)
{
    Json rows = Json::array();
    for (const auto& row : answer.rows) {
        Json object = Json::object();
        for (std::size_t column = 0; column < row.size(); ++column) {
            object[answer.columns[column]] = jsonValue(row[column]);
        }
        rows.push_back(std::move(object));
    }
    return rows.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ringside::query
