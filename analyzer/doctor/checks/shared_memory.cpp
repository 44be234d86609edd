// SPDX-License-Identifier: Apache-2.0
// /dev/shm: data loaders, NCCL between ranks of a host, and the recorder's rings lie in it.
#include "doctor/check.h"

#include <fmt/format.h>

namespace ringside::doctor::check_shared_memory {
namespace {

std::vector<Advice> run(const Facts& facts, const Need&)
{
    constexpr std::int64_t kAsked = 1 << 30;   // NCCL's guide: --shm-size=1g
    constexpr std::int64_t kFails = 128 << 20; // containers begin with 64 MiB; NCCL takes about 10 MB a rank
    const auto bytes = facts.number("memory.shm_bytes");
    if (!bytes || *bytes >= kAsked) {
        return {};
    }
    const bool container = facts.find("host.container") != nullptr;
    return {{{},
             *bytes < kFails ? rules::Severity::Problem : rules::Severity::Warning,
             fmt::format("/dev/shm has {} MiB", *bytes >> 20),
             "Too little shows as bus errors of loader workers, or as an NCCL that fails to extend its "
             "shared memory or takes "
             "a slower path between ranks of a host.",
             container ? "docker run --shm-size=1g ..." : "sudo mount -o remount,size=8G /dev/shm"}};
}

} // namespace

RINGSIDE_CHECK(shared_memory, .title = "Shared memory", .run = run);

} // namespace ringside::doctor::check_shared_memory
