// SPDX-License-Identifier: Apache-2.0
#include "host/verbs/verbs.h"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace ringside::host {
namespace {

struct Generation {
    std::uint32_t code;
    std::uint64_t laneMbps;
    const char* name;
};
constexpr std::array<Generation, 9> kGenerations{{{1, 2'500, "SDR"},
                                                  {2, 5'000, "DDR"},
                                                  {4, 10'000, "QDR"},
                                                  {8, 10'000, "FDR10"},
                                                  {16, 14'000, "FDR"},
                                                  {32, 25'000, "EDR"},
                                                  {64, 50'000, "HDR"},
                                                  {128, 100'000, "NDR"},
                                                  {256, 200'000, "XDR"}}};

std::uint64_t lanesOf(std::uint8_t width)
{
    switch (width) {
    case 1:
        return 1;
    case 2:
        return 4;
    case 4:
        return 8;
    case 8:
        return 12;
    case 16:
        return 2;
    default:
        return 0;
    }
}

std::optional<Rate> rateOf(const verbs::PortAttributes& attributes)
{
    const std::uint32_t speed =
        attributes.activeSpeedEx != 0 ? attributes.activeSpeedEx : attributes.activeSpeed;
    const std::uint64_t lanes = lanesOf(attributes.activeWidth);
    for (const Generation& each : kGenerations) {
        if (each.code == speed && lanes != 0) {
            return Rate{each.laneMbps * lanes, lanes, each.name};
        }
    }
    return std::nullopt;
}

/// Values 1 to 5 mean 256 to 4096.
std::optional<std::uint64_t> bytesOf(int mtu)
{
    constexpr int kMost = 5;
    constexpr std::uint64_t kHalfTheSmallest = 128;
    return mtu >= 1 && mtu <= kMost ? std::optional(kHalfTheSmallest << static_cast<unsigned>(mtu))
                                    : std::nullopt;
}

GidReach reachOf(const std::array<std::uint8_t, 16>& gid)
{
    constexpr std::array<std::uint8_t, 12> kIPv4{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    return gid[0] == 0xfe && (gid[1] & 0xc0U) == 0x80            ? GidReach::LinkLocal
           : std::equal(kIPv4.begin(), kIPv4.end(), gid.begin()) ? GidReach::IPv4
                                                                 : GidReach::IPv6;
}

GidKinds kindsOf(const std::vector<verbs::GidEntry>& gids, unsigned port)
{
    GidKinds kinds;
    for (const verbs::GidEntry& each : gids) {
        if (each.port == port && each.type != verbs::kNoRoce) {
            kinds.add(each.index, each.type == verbs::kRoceV2, reachOf(each.gid));
        }
    }
    return kinds;
}

bool isOfDevice(int type)
{
    return type == verbs::kDeviceFatal;
}

bool isOfPort(int type)
{
    return (type >= verbs::kPortUp && type <= verbs::kSubnetManagerChange) || type == verbs::kReregister ||
           type == verbs::kGidChange;
}

} // namespace

void Verbs::open()
{
    static_cast<void>(m_library.load());
}

void Verbs::openNew(const std::set<std::string>& names)
{
    std::set<std::string> wanted;
    for (const std::string& name : names) {
        if (!m_devices.contains(name)) {
            wanted.insert(name);
        }
    }
    if (!m_library.reason.empty() || wanted.empty()) {
        return;
    }
    int count = 0;
    verbs::Device* const list = m_library.deviceList(&count);
    for (int i = 0; list != nullptr && i < count; ++i) {
        const char* const name = m_library.deviceName(list[i]);
        if (name != nullptr && wanted.erase(name) > 0) {
            m_devices.emplace(name, opened(list[i]));
        }
    }
    if (list != nullptr) {
        m_library.freeDeviceList(list);
    }
    for (const std::string& name : wanted) {
        m_devices[name].trouble = "libibverbs does not know it";
    }
}

Verbs::Device Verbs::opened(verbs::Device handle) const
{
    Device device;
    errno = 0;
    device.context = m_library.openDevice(handle);
    if (device.context == nullptr) {
        device.trouble =
            std::string("ibv_open_device: ") + (errno != 0 ? std::strerror(errno) : "no reason given");
        return device;
    }
    const int flags = fcntl(device.context->asyncFd, F_GETFL);
    if (flags < 0 || fcntl(device.context->asyncFd, F_SETFL, flags | O_NONBLOCK) != 0) {
        // reading could block for ever
        leaveAlone(device, "its descriptor for events cannot be used");
    }
    return device;
}

void Verbs::leaveAlone(Device& device, const std::string& why) const
{
    if (device.context != nullptr) {
        m_library.closeDevice(device.context);
    }
    device.context = nullptr;
    device.trouble = why;
}

std::optional<LinkState> Verbs::linkOf(const std::string& name, unsigned port)
{
    constexpr unsigned kMostPort = 255;
    const auto found = m_devices.find(name);
    if (found == m_devices.end() || found->second.context == nullptr || port > kMostPort) {
        return std::nullopt;
    }
    Device& device = found->second;
    verbs::PortAttributes attributes{};
    errno = 0;
    if (const int error = m_library.queryPort(device.context, static_cast<std::uint8_t>(port), attributes);
        error != 0) {
        leaveAlone(device, std::string("ibv_query_port: ") + std::strerror(error > 0 ? error : errno));
        return std::nullopt;
    }
    const bool addressed = attributes.linkLayer == verbs::kEthernet;
    if (addressed && device.gidsAreOld) {
        readGids(device);
    }
    const GidKinds kinds = addressed ? kindsOf(device.gids, port) : GidKinds();
    const bool told = !kinds.table().empty();
    return LinkState{static_cast<std::uint64_t>(attributes.state),
                     attributes.physicalState,
                     rateOf(attributes),
                     bytesOf(attributes.activeMtu),
                     bytesOf(attributes.maxMtu),
                     told ? kinds.text() : std::string(),
                     told ? kinds.table() : std::string()};
}

// Older libraries and some kernels do not report this; then sysfs was read once.
void Verbs::readGids(Device& device) const
{
    constexpr std::size_t kMost = 1024;
    device.gidsAreOld = false;
    if (m_library.gidTable == nullptr) {
        return;
    }
    device.gids.assign(kMost, {});
    const ssize_t count =
        m_library.gidTable(device.context, device.gids.data(), kMost, 0, sizeof(verbs::GidEntry));
    const bool plausible = count > 0 && static_cast<std::size_t>(count) <= kMost;
    device.gids.resize(plausible ? static_cast<std::size_t>(count) : 0);
}

std::vector<Verbs::Event> Verbs::takeEvents()
{
    std::vector<pollfd> waiting;
    std::vector<std::pair<const std::string, Device>*> devices;
    for (auto& each : m_devices) {
        if (each.second.context != nullptr) {
            waiting.push_back({each.second.context->asyncFd, POLLIN, 0});
            devices.push_back(&each);
        }
    }
    std::vector<Event> events;
    const int ready = waiting.empty() ? 0 : poll(waiting.data(), waiting.size(), 0);
    for (std::size_t i = 0; ready > 0 && i < waiting.size(); ++i) {
        if (waiting[i].revents != 0) {
            takeEvents(devices[i]->first, devices[i]->second, events);
        }
    }
    return events;
}

void Verbs::takeEvents(const std::string& name, Device& device, std::vector<Event>& events) const
{
    constexpr int kMostAtOnce = 64;
    for (int seen = 0; seen < kMostAtOnce; ++seen) {
        verbs::AsyncEvent event{};
        errno = 0;
        if (m_library.getEvent(device.context, &event) != 0) {
            if (errno != EAGAIN && errno != EINTR) {
                leaveAlone(device, std::string("ibv_get_async_event: ") + std::strerror(errno));
            }
            return;
        }
        m_library.acknowledge(&event);
        if (isOfDevice(event.type)) {
            events.push_back({name, 0, event.type});
        } else if (isOfPort(event.type) && event.element.port > 0) {
            events.push_back({name, static_cast<unsigned>(event.element.port), event.type});
            device.gidsAreOld = device.gidsAreOld || event.type == verbs::kGidChange;
        }
    }
}

std::string Verbs::reason(const std::string& device) const
{
    const auto found = m_devices.find(device);
    return !m_library.reason.empty()  ? m_library.reason
           : found == m_devices.end() ? std::string("not looked for yet")
                                      : found->second.trouble;
}

void Verbs::close()
{
    for (auto& [name, device] : m_devices) {
        leaveAlone(device, "closed");
    }
}

} // namespace ringside::host
