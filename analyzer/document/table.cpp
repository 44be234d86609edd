// SPDX-License-Identifier: Apache-2.0
#include "document/table.h"

#include "trace/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace ringside::document {
namespace {

using Lines = std::vector<std::vector<std::string>>;

/// Replaces control characters by spaces: names in a trace may contain anything, even terminal escape
/// sequences.
std::string printable(std::string_view text)
{
    return trace::shownText(text, ' ');
}

/// Returns the end of the first word. A number and its unit count as one word.
std::size_t wordEnd(std::string_view text)
{
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view rest = text.substr(std::min(text.size(), end + 1));
    const bool number = end > 0 && text[end - 1] >= '0' && text[end - 1] <= '9';
    for (const std::string_view unit : {"%", "ms", "us", "s", "B", "KiB", "MiB", "points"}) {
        const std::size_t after = unit.size();
        if (number && rest.substr(0, after) == unit &&
            (rest.size() == after || std::isalnum(static_cast<unsigned char>(rest[after])) == 0)) {
            return end + 1 + std::min(rest.find(' '), rest.size());
        }
    }
    return end;
}

/// Returns the header lines from the top, with all columns of equal height.
Lines headerLines(const Table& table)
{
    std::size_t height = 1;
    for (const std::string& cell : table.header) {
        height = std::max(height, 1 + static_cast<std::size_t>(std::count(cell.begin(), cell.end(), '\n')));
    }
    Lines lines(height, std::vector<std::string>(table.header.size()));
    for (std::size_t column = 0; column < table.header.size(); ++column) {
        std::string_view rest = table.header[column];
        const auto own = 1 + static_cast<std::size_t>(std::count(rest.begin(), rest.end(), '\n'));
        for (std::size_t line = height - own; line < height; ++line) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            lines[line][column] = rest.substr(0, end);
            rest.remove_prefix(std::min(rest.size(), end + 1));
        }
    }
    return lines;
}

std::vector<std::size_t> widths(const Lines& lines)
{
    std::vector<std::size_t> result(lines.front().size(), 0);
    for (const auto& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i) {
            result[i] = std::max(result[i], line[i].size());
        }
    }
    return result;
}

Lines textsOf(const Table& table)
{
    Lines lines;
    for (const std::vector<Cell>& row : table.rows) {
        std::ranges::transform(row, std::back_inserter(lines.emplace_back()), cellText);
    }
    return lines;
}

std::string csvField(const std::string& text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos) {
        return text;
    }
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    }
    return quoted + "\"";
}

template <class Cells, class TextOf>
std::string csvLine(const Cells& cells, const TextOf& textOf)
{
    std::vector<std::string> fields;
    std::ranges::transform(cells, std::back_inserter(fields),
                           [&](const auto& cell) { return csvField(textOf(cell)); });
    return fmt::format("{}\n", fmt::join(fields, ","));
}

} // namespace

std::vector<bool> rightAligned(const Table& table)
{
    std::vector<bool> result(table.header.size(), true);
    for (const std::vector<Cell>& row : table.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            result[i] = result[i] && (!row[i].isText() || cellText(row[i]).empty());
        }
    }
    return result;
}

std::string plainTable(const Table& table, std::string_view indent)
{
    auto lines = headerLines(table);
    const Lines rows = textsOf(table);
    lines.insert(lines.end(), rows.begin(), rows.end());
    const auto width = widths(lines);
    const auto right = rightAligned(table);
    std::string result;
    for (const auto& cells : lines) {
        std::string line(indent);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const std::string cell = printable(cells[i]);
            line +=
                right[i] ? fmt::format("{:>{}}  ", cell, width[i]) : fmt::format("{:<{}}  ", cell, width[i]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        result += line + "\n";
    }
    return result;
}

std::string markdownTable(const Table& table)
{
    const auto line = [](const std::vector<std::string>& cells) {
        std::string text = "|";
        for (const std::string& cell : cells) {
            text += fmt::format(" {} |", markdownText(cell));
        }
        return text + "\n";
    };
    std::string result = line(table.header) + "|";
    for (const bool isRight : rightAligned(table)) {
        result += isRight ? "---:|" : "---|";
    }
    result += "\n";
    for (const std::vector<std::string>& row : textsOf(table)) {
        result += line(row);
    }
    return result;
}

std::string csvTable(const Table& table)
{
    std::string text = csvLine(table.header, [](const std::string& title) { return title; });
    for (const std::vector<Cell>& row : table.rows) {
        text += csvLine(row, [](const Cell& cell) {
            const std::string exact = exactText(cell);
            return cell.isText() && trace::isLikeFormula(exact) ? "'" + exact : exact;
        });
    }
    return text;
}

std::string markdownText(std::string_view text)
{
    std::string result;
    for (const char c : printable(text)) {
        // Names in a trace may be tags, links, pictures and mentions of people; no text of ours is.
        const bool marks = std::string_view("\\|<[]").find(c) != std::string_view::npos;
        result += c == '@' ? "&#64;" : marks ? fmt::format("\\{}", c) : std::string(1, c);
    }
    return result;
}

std::string wrap(std::string_view anyText, std::size_t width, std::string_view indent)
{
    const std::string clean = printable(anyText);
    std::string_view text = clean;
    std::string result;
    std::string line(indent);
    while (!text.empty()) {
        const std::size_t end = wordEnd(text);
        const std::string_view word = text.substr(0, end);
        if (line.size() > indent.size() && line.size() + 1 + word.size() > width) {
            result += line + "\n";
            line = indent;
        }
        line += line.size() > indent.size() ? " " : "";
        line += word;
        text.remove_prefix(std::min(text.size(), end + 1));
    }
    return result + line + "\n";
}

} // namespace ringside::document
