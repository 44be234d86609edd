// SPDX-License-Identifier: Apache-2.0
#include "trace/read/plausible.h"
#include "trace/write/small_file.h"
#include "values/parse_number.h"

#include <ringside/trace/gone.h>
#include <ringside/trace/ring.h>

#include <string_view>

namespace ringside::trace {
namespace {

constexpr std::string_view kMark = "ringside-gone\t1\t";
constexpr Fact kGone("record", "gone_ns");
constexpr Fact kStatus("record", "wait_status");

std::string_view valueOf(const ProcessTrace& process, const Fact& fact)
{
    const SettingSource source = fact.source();
    const std::string name = fact.name();
    for (const SettingRow& row : process.settings) {
        if (row.source == source && row.name == name) {
            return row.value;
        }
    }
    return {};
}

std::optional<SeenEnd> plausible(std::string_view gone, std::string_view status)
{
    const auto goneNs = values::parseNumber<std::int64_t>(gone);
    const bool fits = goneNs && isPlausibleTime(*goneNs);
    return fits ? std::optional(SeenEnd{*goneNs, values::parseNumber<int>(status)}) : std::nullopt;
}

} // namespace

std::filesystem::path goneFileOf(const std::filesystem::path& processFile)
{
    return std::filesystem::path(processFile).replace_extension(".gone");
}

std::optional<SeenEnd> readGone(const std::filesystem::path& file)
{
    const std::string text = readSmallFile(file, From::Anybody);
    const std::size_t tab = text.rfind('\t');
    if (!text.starts_with(kMark) || !text.ends_with('\n') || tab < kMark.size()) {
        return std::nullopt;
    }
    const std::string_view line(text.data(), text.size() - 1);
    return plausible(line.substr(kMark.size(), tab - kMark.size()), line.substr(tab + 1));
}

std::optional<SeenEnd> seenEnd(const ProcessTrace& process)
{
    return plausible(valueOf(process, kGone), valueOf(process, kStatus));
}

std::vector<SettingRow> goneSettings(const SeenEnd& end)
{
    std::vector<SettingRow> rows{settingRow(kGone, std::to_string(end.goneNs))};
    if (end.waitStatus) {
        rows.push_back(settingRow(kStatus, std::to_string(*end.waitStatus)));
    }
    return rows;
}

bool writeGone(const std::filesystem::path& file, const SeenEnd& end)
{
    const std::string status = end.waitStatus ? std::to_string(*end.waitStatus) : "-";
    return replaceFile(file, std::string(kMark) + std::to_string(end.goneNs) + "\t" + status + "\n");
}

std::optional<OwnEnd> ownEnd(const ProcessTrace& process)
{
    if (!valueOf(process, {"process", "became"}).empty()) {
        return OwnEnd{true, 0};
    }
    const auto code = values::parseNumber<int>(valueOf(process, {"process", "exit_code"}));
    return code ? std::optional(OwnEnd{false, *code}) : std::nullopt;
}

} // namespace ringside::trace
