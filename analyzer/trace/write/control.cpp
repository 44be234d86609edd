// SPDX-License-Identifier: Apache-2.0
// The files contain lines of "key value". The last line is "end"; without it, the file is still being
// written. Unknown keys are ignored, so that both sides can be extended. Everyone with write access to the
// run directory can change these files, and the reader is a thread of the job. It therefore never blocks on a
// file, follows no link, and rejects numbers whose sums could overflow.
#include "trace/write/small_file.h"
#include "values/parse_number.h"

#include <ringside/trace/control.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <map>
#include <string_view>

namespace ringside::trace {
namespace {

constexpr std::string_view kControlMark = "ringside-control 1\n";
constexpr std::string_view kStatusMark = "ringside-status 1\n";
constexpr std::array<std::string_view, 3> kVerbs{"ask", "level", "dump"};
constexpr std::string_view kEndMark = "end\n";
constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 48;
constexpr std::uint64_t kLatestNs = std::uint64_t{1} << 61; ///< same limit as for every time in a trace
constexpr std::uint64_t kLongestStepNs = std::uint64_t{1} << 58;

using Fields = std::map<std::string, std::string, std::less<>>;

std::optional<Fields> readFields(const std::filesystem::path& path, std::string_view mark, From owner)
{
    std::string text = readSmallFile(path, owner);
    if (!text.starts_with(mark) || !text.ends_with(kEndMark)) {
        return std::nullopt;
    }
    std::replace_if(
        text.begin(), text.end(),
        [](char c) { return c != '\n' && (static_cast<unsigned char>(c) < ' ' || c == '\x7F'); }, '?');
    Fields fields;
    for (std::size_t at = mark.size(); at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line(text.data() + at, end - at);
        const std::size_t space = std::min(line.find(' '), line.size());
        fields.emplace(line.substr(0, space), line.substr(std::min(space + 1, line.size())));
        at = end + 1;
    }
    return fields;
}

std::string_view textOf(const Fields& fields, std::string_view key)
{
    const auto found = fields.find(key);
    return found != fields.end() ? std::string_view(found->second) : std::string_view();
}
/// Returns the numbers of the fields, and whether all of them are in the format that this program writes.
class Numbers final {
public:
    explicit Numbers(const Fields& fields) : m_fields(fields) {}

    template <std::integral T>
    void read(std::string_view key, T& number, std::uint64_t most)
    {
        const auto value = values::parseNumber<std::uint64_t>(textOf(m_fields, key));
        m_plausible = m_plausible && value && *value <= most;
        number = m_plausible ? static_cast<T>(*value) : T{0};
    }
    [[nodiscard]] bool plausible() const { return m_plausible; }

private:
    const Fields& m_fields;
    bool m_plausible = true;
};

std::string line(const char* key, std::string_view value)
{
    return std::string(key) + " " + std::string(value) + "\n";
}
template <std::integral T>
std::string line(const char* key, T value)
{
    return line(key, std::string_view(std::to_string(value)));
}

} // namespace

std::optional<ControlRequest> readControl(const std::filesystem::path& file)
{
    const auto fields = readFields(file, kControlMark, From::OurselvesOrRoot);
    if (!fields) {
        return std::nullopt;
    }
    const auto verb = std::ranges::find(kVerbs, textOf(*fields, "request"));
    if (verb == kVerbs.end()) {
        return std::nullopt;
    }
    ControlRequest request;
    request.verb = static_cast<ControlVerb>(verb - kVerbs.begin());
    Numbers numbers(*fields);
    numbers.read("number", request.number, kLatestNs);
    numbers.read("issued_realtime_ns", request.issuedRealtimeNs, kLatestNs);
    if (const std::string_view level = textOf(*fields, "level"); !level.empty()) {
        ControlOrder& order = request.order.emplace();
        order.level = level;
        numbers.read("order", order.number, kLatestNs);
        numbers.read("from_step", order.fromStep, kMostSteps);
        numbers.read("from_realtime_ns", order.realtimeNs, kLatestNs);
    }
    return numbers.plausible() ? std::optional(request) : std::nullopt;
}

bool writeControl(const std::filesystem::path& file, const ControlRequest& request)
{
    std::string text(kControlMark);
    text += line("number", request.number);
    text += line("request", kVerbs[static_cast<std::size_t>(request.verb)]);
    text += line("issued_realtime_ns", request.issuedRealtimeNs);
    if (request.order) {
        text += line("order", request.order->number) + line("level", request.order->level);
        text += line("from_step", request.order->fromStep);
        text += line("from_realtime_ns", request.order->realtimeNs);
    }
    return replaceFile(file, text.append(kEndMark));
}

std::optional<ControlStatus> readStatus(const std::filesystem::path& file)
{
    const auto fields = readFields(file, kStatusMark, From::Anybody);
    if (!fields) {
        return std::nullopt;
    }
    ControlStatus status;
    Numbers numbers(*fields);
    numbers.read("number", status.number, kLatestNs);
    numbers.read("steps", status.steps, kMostSteps);
    numbers.read("step_ns", status.stepNs, kLongestStepNs);
    numbers.read("in_force", status.inForce, kLatestNs);
    numbers.read("since_step", status.sinceStep, kMostSteps);
    status.level = textOf(*fields, "level");
    status.dump = textOf(*fields, "dump");
    return numbers.plausible() ? std::optional(status) : std::nullopt;
}

bool writeStatus(const std::filesystem::path& file, const ControlStatus& status)
{
    std::string text(kStatusMark);
    text += line("number", status.number);
    text += line("steps", status.steps) + line("step_ns", status.stepNs);
    text += line("level", status.level) + line("in_force", status.inForce);
    text += line("since_step", status.sinceStep) + line("dump", status.dump);
    return replaceFile(file, text.append(kEndMark));
}

} // namespace ringside::trace
