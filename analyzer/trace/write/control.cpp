// SPDX-License-Identifier: Apache-2.0
// Lines of "key value". An unknown key is left out, so that both sides may grow.
#include <ringside/trace/control.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <concepts>
#include <cstdlib>
#include <map>
#include <string_view>

namespace ringside::trace {
namespace {

constexpr std::string_view kControlMark = "ringside-control 1\n";
constexpr std::string_view kStatusMark = "ringside-status 1\n";
constexpr std::array<std::string_view, 3> kVerbs{"ask", "level", "dump"};
constexpr std::size_t kLongestBytes = 8192;

using Fields = std::map<std::string, std::string, std::less<>>;

std::string readSmallFile(const std::filesystem::path& path)
{
    std::string text(kLongestBytes, '\0');
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const ssize_t got = file < 0 ? 0 : read(file, text.data(), text.size());
    if (file >= 0) {
        close(file);
    }
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
}

std::optional<Fields> readFields(const std::filesystem::path& path, std::string_view mark)
{
    const std::string text = readSmallFile(path);
    if (!text.starts_with(mark)) {
        return std::nullopt;
    }
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
template <class T>
T numberOf(const Fields& fields, std::string_view key)
{
    return static_cast<T>(std::strtoull(std::string(textOf(fields, key)).c_str(), nullptr, 10));
}

std::string line(const char* key, std::string_view value)
{
    return std::string(key) + " " + std::string(value) + "\n";
}
template <std::integral T>
std::string line(const char* key, T value)
{
    return line(key, std::string_view(std::to_string(value)));
}

bool writeWhole(int file, std::string_view text)
{
    const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    return close(file) == 0 && written;
}

bool replace(const std::filesystem::path& path, const std::string& text)
{
    const std::string fresh = path.string() + "." + std::to_string(getpid()) + ".tmp";
    const int file = open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) {
        return false;
    }
    if (writeWhole(file, text) && rename(fresh.c_str(), path.c_str()) == 0) {
        return true;
    }
    const int why = errno;
    unlink(fresh.c_str());
    errno = why;
    return false;
}

} // namespace

std::optional<ControlRequest> readControl(const std::filesystem::path& file)
{
    const auto fields = readFields(file, kControlMark);
    if (!fields) {
        return std::nullopt;
    }
    ControlRequest request;
    request.number = numberOf<std::uint64_t>(*fields, "number");
    request.issuedRealtimeNs = numberOf<std::int64_t>(*fields, "issued_realtime_ns");
    for (std::size_t verb = 0; verb < kVerbs.size(); ++verb) {
        if (textOf(*fields, "request") == kVerbs[verb]) {
            request.verb = static_cast<ControlVerb>(verb);
        }
    }
    if (const std::string_view level = textOf(*fields, "level"); !level.empty()) {
        request.order = {numberOf<std::uint64_t>(*fields, "order"), std::string(level),
                         numberOf<std::uint64_t>(*fields, "from_step"),
                         numberOf<std::int64_t>(*fields, "from_realtime_ns")};
    }
    return request;
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
    return replace(file, text);
}

std::optional<ControlStatus> readStatus(const std::filesystem::path& file)
{
    const auto fields = readFields(file, kStatusMark);
    if (!fields) {
        return std::nullopt;
    }
    ControlStatus status;
    status.number = numberOf<std::uint64_t>(*fields, "number");
    status.steps = numberOf<std::uint64_t>(*fields, "steps");
    status.stepNs = numberOf<std::int64_t>(*fields, "step_ns");
    status.level = textOf(*fields, "level");
    status.inForce = numberOf<std::uint64_t>(*fields, "in_force");
    status.sinceStep = numberOf<std::uint64_t>(*fields, "since_step");
    status.dump = textOf(*fields, "dump");
    return status;
}

bool writeStatus(const std::filesystem::path& file, const ControlStatus& status)
{
    return replace(file, std::string(kStatusMark) + line("number", status.number) +
                             line("steps", status.steps) + line("step_ns", status.stepNs) +
                             line("level", status.level) + line("in_force", status.inForce) +
                             line("since_step", status.sinceStep) + line("dump", status.dump));
}

} // namespace ringside::trace
