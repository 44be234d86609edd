// SPDX-License-Identifier: Apache-2.0
// /dev/shm: used by data loaders, by NCCL between ranks of a host, and by the collector's rings.
#include "doctor/check.h"

#include <fmt/format.h>

namespace ringside::doctor::check_shared_memory {
namespace {

std::vector<Advice> run(const Facts& facts, const Need&)
{
    constexpr std::int64_t kAsked = 1 << 30; // NCCL user guide: --shm-size=1g
    // the default of containers is 64 MiB; NCCL takes about 10 MB for each rank
    constexpr std::int64_t kFails = 128 << 20;
    const auto bytes = facts.number("memory.shm_bytes");
    if (!bytes || *bytes >= kAsked) {
        return {};
    }
    const bool container = facts.find("host.container") != nullptr;
    return {{{},
             *bytes < kFails ? rules::Severity::Problem : rules::Severity::Warning,
             fmt::format("/dev/shm has {} MiB", *bytes >> 20),
             "Too little causes bus errors of loader workers, or NCCL fails to extend its "
             "shared memory or uses "
             "a slower path between ranks of a host.",
             container ? "docker run --shm-size=1g ..." : "sudo mount -o remount,size=8G /dev/shm"}};
}

} // namespace

RINGSIDE_CHECK(shared_memory, .title = "Shared memory", .run = run);

} // namespace ringside::doctor::check_shared_memory
