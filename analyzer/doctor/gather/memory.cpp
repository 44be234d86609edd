// SPDX-License-Identifier: Apache-2.0
// Memory, swap, and the shared memory that NCCL and data loaders use.
#include "doctor/gatherer.h"

#include <sys/statvfs.h>

#include <limits>
#include <sstream>

namespace ringside::doctor::gatherer_memory {
namespace {

constexpr std::int64_t kKibibyte = 1024;

/// Rejects implausible numbers: a copied file may hold anything.
bool isAmount(std::int64_t kibibytes)
{
    return kibibytes >= 0 && kibibytes < std::numeric_limits<std::int64_t>::max() / kKibibyte;
}

/// Returns the mount option `size=65536k`, or nothing if /dev/shm is not mounted there or has no size.
std::optional<std::int64_t> mountedBytes(const Root& root)
{
    for (const std::string& line : root.lines("/proc/mounts")) {
        std::istringstream words(line);
        std::string device;
        std::string place;
        std::string type;
        std::string options;
        words >> device >> place >> type >> options;
        const std::size_t size = (',' + options).find(",size=");
        std::int64_t kibibytes = 0;
        if (place == "/dev/shm" && size != std::string::npos &&
            std::istringstream(options.substr(size + 5)) >> kibibytes && isAmount(kibibytes)) {
            return kibibytes * kKibibyte;
        }
    }
    return std::nullopt;
}

void gather(const Root& root, Facts& facts)
{
    for (const std::string& line : root.lines("/proc/meminfo")) {
        std::istringstream words(line);
        std::string name;
        std::int64_t kibibytes = 0;
        if (words >> name >> kibibytes && isAmount(kibibytes) &&
            (name == "MemTotal:" || name == "SwapTotal:" || name == "SwapFree:")) {
            name.pop_back();
            facts.set("memory." + name + "_bytes", std::to_string(kibibytes * kKibibyte));
        }
    }
    struct statvfs shm {};
    if (root.live() && statvfs("/dev/shm", &shm) == 0) {
        facts.set("memory.shm_bytes", std::to_string(shm.f_blocks * shm.f_frsize));
        facts.set("memory.shm_available_bytes", std::to_string(shm.f_bavail * shm.f_frsize));
    } else if (const auto bytes = mountedBytes(root)) {
        facts.set("memory.shm_bytes", std::to_string(*bytes));
    }
}

} // namespace

RINGSIDE_GATHERER(gather);

} // namespace ringside::doctor::gatherer_memory
