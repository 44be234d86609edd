// SPDX-License-Identifier: Apache-2.0
// Formats names, durations and lists of ranks, which are the same in every output.
#include "hang/hang.h"
#include "values/text.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <string_view>

namespace ringside::hang {
namespace {

/// Returns the name of a signal that ends a process, or an empty string for other signals. The C library's
/// own table of these names (sigabbrev_np, glibc 2.32) is newer than the oldest supported glibc.
std::string_view signalName(int signal)
{
    static const std::map<int, std::string_view> names{
        {SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"},     {SIGILL, "SIGILL"},
        {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},       {SIGFPE, "SIGFPE"},
        {SIGKILL, "SIGKILL"}, {SIGUSR1, "SIGUSR1"}, {SIGSEGV, "SIGSEGV"},     {SIGUSR2, "SIGUSR2"},
        {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"},     {SIGSTKFLT, "SIGSTKFLT"},
        {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"}, {SIGVTALRM, "SIGVTALRM"}, {SIGPROF, "SIGPROF"},
        {SIGPOLL, "SIGPOLL"}, {SIGPWR, "SIGPWR"},   {SIGSYS, "SIGSYS"}};
    const auto found = names.find(signal);
    return found != names.end() ? found->second : std::string_view();
}

} // namespace

std::string_view lifeName(Life life)
{
    switch (life) {
    case Life::Running:
        return "running";
    case Life::Stopped:
        return "stopped";
    case Life::Closed:
        return "closed";
    case Life::Failed:
        return "failed";
    case Life::Gone:
        return "gone";
    case Life::Replaced:
        return "another program";
    case Life::NotKnown:
        break;
    }
    return "not known";
}

bool isDeath(Life life)
{
    return life == Life::Gone || life == Life::Failed;
}

std::string howEnded(int waitStatus)
{
    if (WIFEXITED(waitStatus)) {
        return fmt::format("with code {}", WEXITSTATUS(waitStatus));
    }
    const std::string_view name = signalName(WTERMSIG(waitStatus));
    return name.empty() ? fmt::format("by signal {}", WTERMSIG(waitStatus)) : fmt::format("by {}", name);
}

std::string_view kindName(Kind kind)
{
    switch (kind) {
    case Kind::Missing:
        return "missing";
    case Kind::Mismatch:
        return "mismatch";
    case Kind::Waiting:
        return "waiting";
    case Kind::Died:
        return "died";
    case Kind::Nothing:
        break;
    }
    return "nothing";
}

std::string communicatorName(const StuckCollective& stuck)
{
    return stuck.name.empty() ? fmt::format("{:016x}", stuck.communicator) : stuck.name;
}

std::string duration(std::int64_t ns)
{
    return values::coarseDuration(ns);
}

std::string differenceOf(const Signature& a, const Signature& b)
{
    const auto differs = [](const auto& x, const auto& y) { return x && y && *x != *y; };
    if (a.function.empty() || b.function.empty()) { // only its number is known
        return "";
    }
    if (a.function != b.function) {
        return "function";
    }
    if (a.calls != b.calls) {
        return "number of calls in its batch";
    }
    if (differs(a.count, b.count)) {
        return "count";
    }
    if ((!a.count || !b.count) && differs(a.bytes, b.bytes)) {
        return "number of bytes";
    }
    if (differs(a.datatype, b.datatype)) {
        return "data type";
    }
    if (differs(a.reduction, b.reduction)) {
        return "reduction";
    }
    return differs(a.root, b.root) ? "root" : "";
}

} // namespace ringside::hang
