// SPDX-License-Identifier: Apache-2.0
// A profiler plugin that a site may have installed, in version CHAINED_VERSION: writes one line per call into
// the file RINGSIDE_TEST_CHAIN_LOG. Handles are numbers from 1, contexts 1001 plus the rank.
// RINGSIDE_TEST_CHAIN_MASK is its activation mask, RINGSIDE_TEST_CHAIN_RESULT the result of its init,
// RINGSIDE_TEST_CHAIN_LATER a mask that it sets with its first event, and RINGSIDE_TEST_CHAIN_WITHOUT the
// events for which it returns no handle.
#include "abi/nccl_profiler.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <sstream>

#define CHAINED_JOIN2(a, b) a##b
#define CHAINED_JOIN(a, b) CHAINED_JOIN2(a, b)

namespace {

using namespace ringside::collector::profiler;

using Table = CHAINED_JOIN(PluginV, CHAINED_VERSION);
using Descriptor = CHAINED_JOIN(DescriptorV, CHAINED_VERSION);
#if CHAINED_VERSION == 3
using Arguments = StateArgumentsV3;
#else
using Arguments = StateArguments;
#endif

std::atomic<std::uintptr_t> handles{0};
int* theMask = nullptr;

int number(const char* name)
{
    const char* const text = std::getenv(name);
    return text == nullptr ? 0 : static_cast<int>(std::strtol(text, nullptr, 0));
}

std::uintptr_t idOf(const void* handle)
{
    return reinterpret_cast<std::uintptr_t>(handle);
}

void* made(std::uintptr_t id)
{
    return reinterpret_cast<void*>(id);
}

/// One line, in one write: other threads write too.
void note(const std::ostringstream& line)
{
    const std::string text = line.str() + "\n";
    const char* const path = std::getenv("RINGSIDE_TEST_CHAIN_LOG");
    const int file = path != nullptr ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (file < 0 || write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
        std::abort();
    }
    close(file);
}

Result initialise(void** context, int* mask, std::uint64_t hash, int ranks, int rank)
{
    *context = made(1001 + static_cast<std::uintptr_t>(rank));
    *mask = number("RINGSIDE_TEST_CHAIN_MASK");
    theMask = mask;
    std::ostringstream line;
    line << "init " << idOf(*context) << " hash=" << hash << " ranks=" << ranks << " rank=" << rank;
    note(line);
    return number("RINGSIDE_TEST_CHAIN_RESULT");
}

#if CHAINED_VERSION == 3
Result init(void** context, int* mask)
{
    return initialise(context, mask, 0, 0, 0);
}
#elif CHAINED_VERSION == 4
Result init(void** context, int* mask, const char*, std::uint64_t hash, int, int ranks, int rank, Logger)
{
    return initialise(context, mask, hash, ranks, rank);
}
#else
Result init(void** context, std::uint64_t hash, int* mask, const char*, int, int ranks, int rank, Logger)
{
    return initialise(context, mask, hash, ranks, rank);
}
#endif

std::string tagOf(const Descriptor& event)
{
#if CHAINED_VERSION >= 7
    return " tag=" + std::to_string(event.more.coll.userTag);
#else
    static_cast<void>(event);
    return "";
#endif
}

void describeOperation(std::ostream& line, const Descriptor& event)
{
#if CHAINED_VERSION <= 4
    constexpr std::uintptr_t kGroupless = 0;
    const void* const group = made(kGroupless);
#endif
#if CHAINED_VERSION == 3
    const CollFields& coll = event.coll.fields;
    const auto& p2p = event.p2p;
#elif CHAINED_VERSION == 4
    const CollFields& coll = event.coll;
    const auto& p2p = event.p2p;
#else
    const CollFields& coll = event.coll.fields;
    const auto& p2p = event.p2p.fields;
    const void* const group = event.type == kColl ? event.coll.group : event.p2p.group;
#endif
    if (event.type == kColl) {
        line << ' ' << coll.function << ' ' << coll.algorithm << " count=" << coll.count
             << " seq=" << coll.sequence << tagOf(event) << " channels=" << int{coll.channels}
             << " group=" << idOf(group);
    } else if (event.type == kP2p) {
        line << ' ' << p2p.function << " count=" << p2p.count << " peer=" << p2p.peer
             << " group=" << idOf(group);
    }
}

Result startEvent(void* context, void** handle, Descriptor* event)
{
    const auto without = static_cast<std::uint64_t>(number("RINGSIDE_TEST_CHAIN_WITHOUT"));
    *handle = (event->type & without) != 0 ? nullptr : made(++handles);
    std::ostringstream line;
    line << "start " << idOf(*handle) << " type=" << std::uint64_t{event->type} << " in=" << idOf(context)
         << " parent=" << idOf(event->parent);
    describeOperation(line, *event);
    note(line);
    if (const int later = number("RINGSIDE_TEST_CHAIN_LATER"); later != 0) {
        std::atomic_ref(*theMask).store(later);
    }
    return kSuccess;
}

Result stopEvent(void* handle)
{
    std::ostringstream line;
    line << "stop " << idOf(handle);
    note(line);
    return kSuccess;
}

Result recordEventState(void* handle, State state, Arguments*)
{
    std::ostringstream line;
    line << "state " << idOf(handle) << ' ' << static_cast<int>(state);
    note(line);
    return kSuccess;
}

Result finalize(void* context)
{
    std::ostringstream line;
    line << "finalize " << idOf(context);
    note(line);
    return kSuccess;
}

} // namespace

extern "C" __attribute__((visibility("default"))) const Table CHAINED_JOIN(ncclProfiler_v, CHAINED_VERSION);
const Table CHAINED_JOIN(ncclProfiler_v, CHAINED_VERSION) = {
    "Chained", &init, &startEvent, &stopEvent, &recordEventState, &finalize};
