// SPDX-License-Identifier: Apache-2.0
#include "record/placement.h"

#include "host/input_file.h"
#include "host/process.h"
#include "host/rdma/port_list.h"
#include "host/sysfs_text.h"

#include <sys/resource.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cctype>

namespace ringside::collector {
namespace {

void add(trace::Writer& writer, const trace::Fact& fact, const std::string& value, std::string_view of = {})
{
    if (!value.empty()) {
        writer.add(trace::settingRow(fact, value, of));
    }
}

/// RLIMIT_MEMLOCK: how much memory RDMA may pin.
std::string lockedMemory()
{
    rlimit limit{};
    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0) {
        return {};
    }
    return limit.rlim_cur == RLIM_INFINITY ? "unlimited" : std::to_string(limit.rlim_cur);
}

/// "mlx5_0,mlx5_1".
std::string rdmaDevices(const std::string& sysfsRoot)
{
    std::string list;
    for (const std::string& name : host::namesIn(host::PortList(sysfsRoot).folder())) {
        list += (list.empty() ? "" : ",") + name;
    }
    return list;
}

} // namespace

void writePlacement(trace::Writer& writer, const std::string& sysfsRoot)
{
    constexpr int kMostNodes = 64;
    const std::string devices = sysfsRoot + "/devices/system";
    add(writer, {"process", "cpus_allowed"}, host::allowedCpus());
    add(writer, {"process", "memlock_bytes"}, lockedMemory());
    add(writer, {"machine", "rdma_devices"}, rdmaDevices(sysfsRoot));
    add(writer, {"machine", "cpus_online"}, host::firstLine(devices + "/cpu/online"));
    for (int node = 0; node < kMostNodes; ++node) {
        const std::string number = std::to_string(node);
        std::string file = devices + "/node/node";
        file.append(number).append("/cpulist");
        add(writer, {"machine", "numa_node*_cpus"}, host::firstLine(file), number);
    }
    struct statvfs shm {};
    if (statvfs("/dev/shm", &shm) == 0) {
        add(writer, {"machine", "shm_bytes"}, std::to_string(shm.f_blocks * shm.f_frsize));
        add(writer, {"machine", "shm_available_bytes"}, std::to_string(shm.f_bavail * shm.f_frsize));
    }
}

void writeDevicePlacement(trace::Writer& writer, const std::string& sysfsRoot, int ordinal, std::string busId)
{
    std::transform(busId.begin(), busId.end(), busId.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    // -1: the firmware does not report it.
    const std::string node = host::firstLine(sysfsRoot + "/bus/pci/devices/" + busId + "/numa_node");
    if (node != "-1") {
        add(writer, {"device", "*_numa_node"}, node, "gpu" + std::to_string(ordinal));
    }
}

} // namespace ringside::collector
