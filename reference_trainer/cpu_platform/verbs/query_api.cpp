// SPDX-License-Identifier: Apache-2.0
// Attributes of devices and ports at the present time of the script.
#include "devices.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#undef ibv_query_port // in the real header, an inline function also has this name

using namespace ringside::verbs;

namespace {

constexpr unsigned kGids = 256;

/// The layout from rdma-core 49 on.
struct PortAttributes {
    ibv_port_attr old{};
    std::uint32_t speedEx = 0;
};

PortAttributes attributesOf(const char* device, int port)
{
    constexpr unsigned kLinkUp = 5;
    constexpr unsigned kPolling = 2;
    constexpr unsigned kFourLanes = 2;
    constexpr unsigned kNdr = 128;
    constexpr unsigned kLargestOld = 255;
    const auto value = [&](Key key, unsigned otherwise) {
        return Script::get().value(device, port, key, now()).value_or(otherwise);
    };
    PortAttributes result;
    ibv_port_attr& old = result.old;
    old.state = static_cast<ibv_port_state>(value(Key::State, IBV_PORT_ACTIVE));
    old.phys_state =
        static_cast<std::uint8_t>(value(Key::Physical, old.state == IBV_PORT_DOWN ? kPolling : kLinkUp));
    old.max_mtu = static_cast<ibv_mtu>(value(Key::MtuMax, IBV_MTU_4096));
    old.active_mtu = static_cast<ibv_mtu>(value(Key::Mtu, old.max_mtu));
    old.link_layer = static_cast<std::uint8_t>(value(Key::Layer, IBV_LINK_LAYER_INFINIBAND));
    old.lid = static_cast<std::uint16_t>(value(Key::Lid, 1));
    old.sm_lid = 1;
    old.gid_tbl_len = kGids;
    old.pkey_tbl_len = 1;
    old.active_width = static_cast<std::uint8_t>(value(Key::Width, kFourLanes));
    result.speedEx = value(Key::Speed, kNdr);
    // XDR does not fit into a byte: the old attribute reports NDR.
    old.active_speed = static_cast<std::uint8_t>(result.speedEx > kLargestOld ? kNdr : result.speedEx);
    return result;
}

ibv_gid_entry entryOf(unsigned index, int port, const Gid& gid)
{
    ibv_gid_entry entry{};
    entry.gid = gid.address;
    entry.gid_index = index;
    entry.port_num = static_cast<std::uint32_t>(port);
    entry.gid_type = gid.type;
    return entry;
}

std::map<unsigned, Gid> gidsNow(const ibv_context* context, int port)
{
    return Script::get().gids(context->device->name, port, now());
}

} // namespace

namespace ringside::verbs {

int queryPort(ibv_context* context, std::uint8_t port, ibv_port_attr* attributes, std::size_t size)
{
    if (const int error = errorOf(context, port); error != 0)
        return error;
    const PortAttributes all = attributesOf(context->device->name, port);
    std::memset(attributes, 0, size);
    std::memcpy(attributes, &all, std::min(size, sizeof all));
    return 0;
}

} // namespace ringside::verbs

extern "C" {

int ibv_query_port(ibv_context* context, std::uint8_t port, _compat_ibv_port_attr* attributes)
{
    constexpr std::size_t kOldest = 48; // up to link_layer and its padding
    return queryPort(context, port, reinterpret_cast<ibv_port_attr*>(attributes), kOldest);
}

int ibv_query_device(ibv_context* context, ibv_device_attr* attributes)
{
    if (const int error = errorOf(context, 1); error != 0)
        return error;
    *attributes = {};
    std::strcpy(attributes->fw_ver, "emulated");
    attributes->node_guid = ibv_get_device_guid(context->device);
    attributes->sys_image_guid = attributes->node_guid;
    attributes->phys_port_cnt = static_cast<std::uint8_t>(Script::get().devices().at(context->device->name));
    return 0;
}

int ibv_query_gid(ibv_context* context, std::uint8_t port, int index, ibv_gid* gid)
{
    if (errorOf(context, port) != 0 || index < 0 || static_cast<unsigned>(index) >= kGids)
        return -1;
    *gid = gidsNow(context, port)[static_cast<unsigned>(index)].address;
    return 0;
}

// Private function of the library, used by ibv_devinfo: 1 is RoCE v2, 0 all others.
int ibv_query_gid_type(ibv_context* context, std::uint8_t port, unsigned index, int* type)
{
    if (errorOf(context, port) != 0 || index >= kGids)
        return -1;
    *type = gidsNow(context, port)[index].type == IBV_GID_TYPE_ROCE_V2 ? 1 : 0;
    return 0;
}

int _ibv_query_gid_ex(ibv_context* context, std::uint32_t port, std::uint32_t index, ibv_gid_entry* entry,
                      std::uint32_t flags, std::size_t size)
{
    if (const int error = errorOf(context, static_cast<int>(port)); error != 0)
        return error;
    const auto gids = gidsNow(context, static_cast<int>(port));
    const auto found = gids.find(index);
    if (flags != 0 || size < sizeof *entry)
        return EINVAL;
    if (found == gids.end())
        return ENODATA;
    *entry = entryOf(index, static_cast<int>(port), found->second);
    return 0;
}

ssize_t _ibv_query_gid_table(ibv_context* context, ibv_gid_entry* entries, std::size_t most,
                             std::uint32_t flags, std::size_t size)
{
    if (flags != 0 || size != sizeof *entries || errorOf(context, 1) == EINVAL)
        return -EINVAL;
    std::size_t count = 0;
    for (int port = 1; port <= Script::get().devices().at(context->device->name); ++port)
        for (const auto& [index, gid] : gidsNow(context, port)) {
            if (count == most)
                return -EINVAL;
            entries[count++] = entryOf(index, port, gid);
        }
    return static_cast<ssize_t>(count);
}

// Files of sysfs do not exist for emulated devices.
int ibv_read_sysfs_file(const char*, const char*, char*, std::size_t)
{
    return -1;
}

} // extern "C"
