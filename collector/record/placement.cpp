// SPDX-License-Identifier: Apache-2.0
#include "record/placement.h"

#include "trace/ports/port_list.h"
#include "trace/ports/sysfs_text.h"

#include <ringside/trace/input_file.h>

#include <sys/resource.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cctype>

namespace ringside::collector {
namespace {

std::string firstLine(const std::string& path)
{
    trace::InputFile file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

void add(trace::Writer& writer, const char* source, const std::string& name, const std::string& value)
{
    if (!value.empty()) {
        writer.add(trace::SettingRow{source, name, value});
    }
}

/// Of the main thread: "0-3,8".
std::string allowedCpus()
{
    constexpr std::string_view kKey = "Cpus_allowed_list:";
    trace::InputFile file("/proc/self/status");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(kKey)) {
            const std::size_t value = line.find_first_not_of(" \t", kKey.size());
            return value == std::string::npos ? "" : line.substr(value);
        }
    }
    return {};
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
    for (const std::string& name : ports::namesIn(ports::PortList(sysfsRoot).folder())) {
        list += (list.empty() ? "" : ",") + name;
    }
    return list;
}

} // namespace

void writePlacement(trace::Writer& writer, const std::string& sysfsRoot)
{
    constexpr int kMostNodes = 64;
    const std::string devices = sysfsRoot + "/devices/system";
    add(writer, "process", "cpus_allowed", allowedCpus());
    add(writer, "process", "memlock_bytes", lockedMemory());
    add(writer, "machine", "rdma_devices", rdmaDevices(sysfsRoot));
    add(writer, "machine", "cpus_online", firstLine(devices + "/cpu/online"));
    for (int node = 0; node < kMostNodes; ++node) {
        const std::string number = std::to_string(node);
        add(writer, "machine", "numa_node" + number + "_cpus",
            firstLine(devices + "/node/node" + number + "/cpulist"));
    }
    struct statvfs shm {};
    if (statvfs("/dev/shm", &shm) == 0) {
        add(writer, "machine", "shm_bytes", std::to_string(shm.f_blocks * shm.f_frsize));
        add(writer, "machine", "shm_available_bytes", std::to_string(shm.f_bavail * shm.f_frsize));
    }
}

void writeDevicePlacement(trace::Writer& writer, const std::string& sysfsRoot, int ordinal, std::string busId)
{
    std::transform(busId.begin(), busId.end(), busId.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    // -1: the firmware does not say.
    const std::string node = firstLine(sysfsRoot + "/bus/pci/devices/" + busId + "/numa_node");
    if (node != "-1") {
        add(writer, "device", "gpu" + std::to_string(ordinal) + "_numa_node", node);
    }
}

} // namespace ringside::collector
