// SPDX-License-Identifier: Apache-2.0
// Process limits that NCCL may exceed: pinned memory for RDMA, open files, stacks.
#include "doctor/check.h"

#include <fmt/format.h>

namespace ringside::doctor::check_limits {
namespace {

using rules::Severity;

void lockedMemory(const Facts& facts, std::vector<Advice>& all)
{
    constexpr std::int64_t kFails = 8 << 20; // the default of many systems (NCCL user guide, troubleshooting)
    const auto bytes = facts.number("limit.memlock_bytes");
    const bool rdma = !facts.namesAfter("rdma.").empty();
    if (!bytes || !rdma) {
        return; // unlimited, unknown, or no device that pins memory
    }
    all.push_back(
        {{},
         *bytes <= kFails ? Severity::Problem : Severity::Warning,
         fmt::format("Locked memory is limited to {} KiB, and this host has RDMA devices", *bytes / 1024),
         "NCCL pins its buffers; registrations fail (ibv_reg_mr, ibv_create_qp) when the limit is "
         "reached. The "
         "service that starts jobs has its own limit (LimitMEMLOCK of slurmd or containerd).",
         "echo '* - memlock unlimited' | sudo tee /etc/security/limits.d/memlock.conf"});
}

void openFiles(const Facts& facts, std::vector<Advice>& all)
{
    constexpr std::int64_t kFew = 65'536; // NCCL opens sockets and shared memory for every peer
    const auto hard = facts.number("limit.open_files_hard");
    if (hard && *hard < kFew) {
        all.push_back(
            {{},
             Severity::Warning,
             fmt::format("At most {} files may be open (hard limit)", *hard),
             "NCCL opens sockets and shared memory for each peer and channel; large jobs need more.",
             "echo '* - nofile 1048576' | sudo tee /etc/security/limits.d/nofile.conf"});
    }
}

std::vector<Advice> run(const Facts& facts, const Need&)
{
    std::vector<Advice> all;
    lockedMemory(facts, all);
    openFiles(facts, all);
    return all;
}

} // namespace

RINGSIDE_CHECK(limits, .title = "Limits of processes", .run = run);

} // namespace ringside::doctor::check_limits
