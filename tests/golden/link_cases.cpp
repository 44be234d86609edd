// SPDX-License-Identifier: Apache-2.0
// Rules about RDMA ports.
#include "rule_cases.h"
#include "sampled_rows.h"
#include "usual_runs.h"

#include <cmath>

namespace ringside::test {
namespace {

/// Down between a third and half of the run.
std::int64_t flapping(double place)
{
    constexpr double kFrom = 0.33;
    constexpr double kTo = 0.5;
    constexpr std::int64_t kDown = 1;
    constexpr std::int64_t kActive = 4;
    return place > kFrom && place < kTo ? kDown : kActive;
}

/// In the middle of the run a peer does not answer, and a collective takes long.
TrainingRun timingOut()
{
    constexpr std::int64_t kStep = 13;
    TrainingRun run =
        edited(all({activePort(), portCounts("ack_timeouts", 5), portCounts("adaptive_retransmissions", 8)}));
    run.networkSpeed = [](std::int64_t step) { return step == kStep ? 0.02 : 1.0; };
    return run;
}

/// On two hosts: what the first one's interface and its RDMA port carry.
TrainingRun onSockets(std::int64_t gigabytes, std::int64_t rdmaGigabytes)
{
    TrainingRun run;
    run.buckets = {32U << 10U, 8U << 20U};
    run.hosts = 2;
    constexpr double kGigabyte = 1e9;
    run.edit = all({activePort(rdmaGigabytes),
                    sampled("network", "eth0", "tx_bytes", "counter", [gigabytes](int, double place) {
                        return std::llround(static_cast<double>(gigabytes) * kGigabyte * place);
                    })});
    return run;
}

} // namespace

std::vector<RuleCase> linkCases()
{
    return {
        {"mtu_mismatch",
         edited(all({activePort(), port("mtu_bytes", "gauge", [](double) { return 1024; })})),
         edited(all({activePort(), port("mtu_bytes", "gauge", [](double) { return 4096; })})),
         {"mtu_mismatch.mtu=1024"},
         {"mtu_mismatch.mtu=8192"},
         withoutEdit},
        {"nic_imbalance",
         edited(all({activePort(100), activePort(100, "mlx5_1:1"), activePort(180, "mlx5_2:1")})),
         edited(all({activePort(100), activePort(100, "mlx5_1:1"), activePort(110, "mlx5_2:1")})),
         {"nic_imbalance.more=2"},
         {"nic_imbalance.more=1.05"},
         withoutEdit},
        {"rdma_congestion",
         edited(all({activePort(), portCounts("ecn_marked", 200'000)})),
         edited(all({activePort(), portCounts("ecn_marked", 10'000)})),
         {"rdma_congestion.marked=0.1"},
         {"rdma_congestion.marked=1e-4"},
         withoutEdit},
        {"rdma_link_errors",
         edited(all({activePort(), portCounts("rx_errors", 12), portCounts("symbol_errors", 3)})),
         edited(all({activePort(), portCounts("rx_errors", 0), portCounts("symbol_errors", 2)})),
         {},
         {"rdma_link_errors.symbol_ber=1e-18"},
         withoutEdit},
        {"rdma_port_down",
         edited(activePort(100, "mlx5_0:1", flapping)),
         edited(activePort()),
         {"rdma_port_down.flaps=2"},
         {},
         withoutEdit},
        {"rdma_rate_low",
         edited(all({activePort(), activePort(100, "mlx5_1:1"),
                     port(
                         "lanes", "gauge", [](double place) { return place > 0.5 ? 2 : 4; }, "mlx5_1:1")})),
         edited(all({activePort(), activePort(100, "mlx5_1:1")})),
         {"rdma_rate_low.lanes=1"},
         {"rdma_rate_low.min_gbps=400"},
         withoutEdit},
        {"rdma_retransmissions",
         timingOut(),
         edited(all({activePort(), portCounts("ack_timeouts", 0), portCounts("retransmissions", 20)})),
         {"rdma_retransmissions.timeouts=10"},
         {"rdma_retransmissions.loss=1e-7"},
         withoutEdit},
        {"rdma_unused",
         onSockets(50, 1),
         onSockets(1, 50),
         {"rdma_unused.part=0.001"},
         {"rdma_unused.part=100"},
         withoutEdit}};
}

} // namespace ringside::test
