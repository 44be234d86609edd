// SPDX-License-Identifier: Apache-2.0
#include "trace/read/plausible.h"
#include "values/parse_number.h"

#include <ringside/error.h>
#include <ringside/trace/private_file.h>
#include <ringside/trace/stacks.h>

#include <array>
#include <fstream>

namespace ringside::trace {
namespace {

constexpr std::string_view kFirstLine = "ringside-stacks\t1";
constexpr std::size_t kMostLines = 65536;
constexpr std::size_t kLongestLine = 8192;
constexpr std::size_t kFields = 7;

/// Replaces tabs and line ends, which separate fields and lines.
void appendText(std::string& line, std::string_view text)
{
    constexpr std::size_t kLongest = 1024;
    line += '\t';
    for (const char c : text.substr(0, kLongest)) {
        line += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
}

/// "-" means no value.
template <class Number>
bool parse(std::string_view text, Number& number)
{
    const auto value = values::parseNumber<Number>(text);
    number = value.value_or(Number{});
    return value.has_value();
}

bool parse(std::string_view text, std::optional<std::int64_t>& number)
{
    return text == "-" || parse(text, number.emplace());
}

std::optional<std::array<std::string_view, kFields>> splitFields(std::string_view line)
{
    std::array<std::string_view, kFields> fields;
    for (std::size_t i = 0; i + 1 < kFields; ++i) {
        const std::size_t tab = line.find('\t');
        if (tab == std::string_view::npos) {
            return std::nullopt;
        }
        fields[i] = line.substr(0, tab);
        line.remove_prefix(tab + 1);
    }
    fields.back() = line;
    return fields;
}

} // namespace

std::filesystem::path stackFileOf(const std::filesystem::path& processFile)
{
    return std::filesystem::path(processFile).replace_extension(".stacks");
}

std::string formatStackLine(const StackRow& row)
{
    std::string line(row.source.text());
    line += '\t' + (row.hang ? std::to_string(*row.hang) : "-");
    line += '\t' + std::to_string(row.takenNs);
    line += '\t' + std::to_string(row.tid);
    line += '\t' + std::to_string(row.frame);
    appendText(line, row.thread);
    appendText(line, row.text);
    return line;
}

std::optional<StackRow> parseStackLine(std::string_view line)
{
    const auto fields = splitFields(line);
    if (!fields) {
        return std::nullopt;
    }
    StackRow row;
    const auto& [source, hang, takenNs, tid, frame, thread, text] = *fields;
    const bool known = std::ranges::find(kStackSources, source, &WordEntry::text) != kStackSources.end();
    if (!known || !parse(hang, row.hang) || !parse(takenNs, row.takenNs) || !parse(tid, row.tid) ||
        !parse(frame, row.frame) || !isPlausibleTime(row.takenNs)) {
        return std::nullopt;
    }
    row.source = StackSource::stored(std::string(source));
    row.thread = thread;
    row.text = text;
    return row;
}

std::vector<StackRow> readStacks(const std::filesystem::path& file)
{
    std::vector<StackRow> rows;
    std::error_code absent;
    if (!std::filesystem::is_regular_file(file, absent)) { // a FIFO would block its reader
        return rows;
    }
    std::ifstream input(file, std::ios::binary);
    std::string line;
    if (!std::getline(input, line) || line != kFirstLine) {
        return rows;
    }
    std::vector<char> buffer(kLongestLine);
    while (rows.size() < kMostLines && input.getline(buffer.data(), kLongestLine)) {
        const auto length = static_cast<std::size_t>(input.gcount());
        if (const auto row = parseStackLine({buffer.data(), length > 0 ? length - 1 : 0})) {
            rows.push_back(*row);
        }
    }
    return rows;
}

void writeStacks(const std::filesystem::path& file, const std::vector<StackRow>& rows)
{
    std::filesystem::path draft = file;
    draft += ".tmp";
    std::error_code ignored;
    std::filesystem::remove(draft, ignored);
    std::ofstream output;
    if (makePrivateFile(draft)) {
        output.open(draft, std::ios::binary);
    }
    output << kFirstLine << '\n';
    for (const StackRow& row : rows) {
        output << formatStackLine(row) << '\n';
    }
    output.close();
    std::error_code error;
    if (output) {
        std::filesystem::rename(draft, file, error);
    }
    if (!output || error) {
        std::filesystem::remove(draft, ignored);
        throw Error(ErrorCode::Io, "cannot write " + file.string(), "Is there room on its disk?");
    }
}

} // namespace ringside::trace
