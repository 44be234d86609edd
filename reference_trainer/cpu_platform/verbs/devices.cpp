// SPDX-License-Identifier: Apache-2.0
// Listing, opening and closing devices.
#include "devices.h"

#include "script_text.h"

#include <fcntl.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>

namespace ringside::verbs {
namespace {

struct State {
    std::mutex mutex;
    double startedS = -1;
    std::vector<std::unique_ptr<ibv_device>> devices;
    std::vector<std::unique_ptr<Opened>> opened;
};

State& state()
{
    static auto* only = new State;
    return *only;
}

bool scriptIsGood()
{
    static const bool good = platform::isScriptGood(Script::get().error());
    return good;
}

void makeDevices(State& all)
{
    if (all.startedS >= 0)
        return;
    all.startedS = platform::monotonicS();
    for (const auto& [name, ports] : Script::get().devices()) {
        auto device = std::make_unique<ibv_device>();
        device->node_type = IBV_NODE_CA;
        device->transport_type = IBV_TRANSPORT_IB;
        std::memcpy(device->name, name.c_str(), name.size() + 1);
        std::snprintf(device->dev_name, sizeof device->dev_name, "uverbs%zu", all.devices.size());
        all.devices.push_back(std::move(device));
    }
}

} // namespace

double startedS()
{
    const std::lock_guard lock(state().mutex);
    return state().startedS;
}

double now()
{
    return platform::monotonicS() - startedS();
}

Opened* openedOf(const ibv_context* context)
{
    State& all = state();
    const std::lock_guard lock(all.mutex);
    for (const auto& each : all.opened)
        if (&each->whole.context == context)
            return each.get();
    return nullptr;
}

void armTimer(Opened& opened)
{
    const auto& events = Script::get().events();
    while (opened.next < events.size() && events[opened.next].device != opened.device->name)
        ++opened.next;
    itimerspec when{}; // zero: never
    if (opened.next < events.size()) {
        const double moment = startedS() + events[opened.next].seconds;
        when.it_value.tv_sec = static_cast<time_t>(moment);
        when.it_value.tv_nsec = static_cast<long>((moment - static_cast<double>(when.it_value.tv_sec)) * 1e9);
    }
    timerfd_settime(opened.whole.context.async_fd, TFD_TIMER_ABSTIME, &when, nullptr);
}

int errorOf(const ibv_context* context, int port)
{
    const Opened* opened = openedOf(context);
    if (opened == nullptr || port < 1 || port > Script::get().devices().at(opened->device->name))
        return EINVAL;
    const std::string device = opened->device->name;
    while (Script::get().value(device, port, Key::Blocks, now()).value_or(0) != 0)
        usleep(1000);
    return Script::get().value(device, port, Key::Fails, now()).value_or(0) != 0 ? EIO : 0;
}

} // namespace ringside::verbs

using namespace ringside::verbs;

extern "C" {

ibv_device** ibv_get_device_list(int* count)
{
    if (!scriptIsGood()) {
        errno = EINVAL;
        return nullptr;
    }
    State& all = state();
    const std::lock_guard lock(all.mutex);
    makeDevices(all);
    auto** list = static_cast<ibv_device**>(std::calloc(all.devices.size() + 1, sizeof(ibv_device*)));
    if (list == nullptr)
        return nullptr;
    for (std::size_t i = 0; i < all.devices.size(); ++i)
        list[i] = all.devices[i].get();
    if (count != nullptr)
        *count = static_cast<int>(all.devices.size());
    return list;
}

void ibv_free_device_list(ibv_device** list)
{
    std::free(list);
}

const char* ibv_get_device_name(ibv_device* device)
{
    return device->name;
}

__be64 ibv_get_device_guid(ibv_device* device)
{
    constexpr unsigned char kLocal = 0x02; // locally administered: a range that belongs to no vendor
    unsigned char bytes[sizeof(__be64)] = {kLocal};
    for (std::size_t i = 0; device->name[i] != '\0'; ++i)
        bytes[1 + i % (sizeof bytes - 1)] ^= static_cast<unsigned char>(device->name[i]);
    __be64 guid = 0;
    std::memcpy(&guid, bytes, sizeof guid);
    return guid;
}

ibv_context* ibv_open_device(ibv_device* device)
{
    if (Script::get().value(device->name, 1, Key::Fails, now()).value_or(0) != 0) {
        errno = EIO;
        return nullptr;
    }
    auto opened = std::make_unique<Opened>();
    opened->device = device;
    opened->whole.sz = sizeof opened->whole;
    opened->whole.query_port = &queryPort;
    ibv_context& context = opened->whole.context;
    context.device = device;
    context.abi_compat = __VERBS_ABI_IS_EXTENDED;
    context.num_comp_vectors = 1;
    context.cmd_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    context.async_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    const auto& events = Script::get().events(); // events before the device was opened are skipped
    while (opened->next < events.size() && events[opened->next].seconds < now())
        ++opened->next;
    armTimer(*opened);
    State& all = state();
    const std::lock_guard lock(all.mutex);
    all.opened.push_back(std::move(opened));
    return &context;
}

int ibv_close_device(ibv_context* context)
{
    State& all = state();
    const std::lock_guard lock(all.mutex);
    for (auto each = all.opened.begin(); each != all.opened.end(); ++each) {
        if (&(*each)->whole.context != context)
            continue;
        if ((*each)->unacknowledged > 0)
            std::fprintf(stderr, "ringside cpu platform: %s was closed with %d events not acknowledged\n",
                         context->device->name, (*each)->unacknowledged);
        close(context->async_fd);
        close(context->cmd_fd);
        all.opened.erase(each);
        return 0;
    }
    return EINVAL;
}

int ibv_fork_init(void)
{
    return 0;
}

} // extern "C"
