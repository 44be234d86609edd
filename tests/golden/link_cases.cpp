// SPDX-License-Identifier: Apache-2.0
// Rules about RDMA ports.
#include "rule_cases.h"
#include "sampled_rows.h"
#include "trace/vocabulary/kernel_event.h"
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

void roceFacts(TraceBuilder& trace)
{
    auto& settings = trace.process(0).settings;
    std::erase_if(settings, [](const trace::SettingRow& row) { return row.name == "mlx5_0:1 link_layer"; });
    settings.push_back({"rdma", "mlx5_0:1 link_layer", "Ethernet"});
    settings.push_back({"rdma", "mlx5_0:1 netdev", "eth2"});
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

/// Two hosts whose first ranks' interface eth0 sent so many GB; what the hosts say of themselves.
TrainingRun overSockets(std::vector<Edit> facts, std::int64_t gigabytes = 50)
{
    TrainingRun run = onSockets(gigabytes, 0);
    facts.push_back(run.edit);
    run.edit = all(std::move(facts));
    return run;
}

Edit told(const trace::SettingSource& source, const char* name, const char* value)
{
    return [=](TraceBuilder& trace) { trace.setting(source, name, value); };
}

/// Each host has eth0 with 1 Gb/s and eth1 with so many.
Edit twoCards(const char* mbps)
{
    return all({told("network", "eth0 speed_mbps", "1000"), told("network", "eth0 physical", "yes"),
                told("network", "eth0 operstate", "up"), told("network", "eth1 speed_mbps", mbps),
                told("network", "eth1 physical", "yes"), told("network", "eth1 operstate", "up")});
}

Edit tcpBuffers(const char* most)
{
    return all({told("network", "eth0 speed_mbps", "100000"), told("kernel", "net.ipv4.tcp_rmem", most)});
}

/// So many segments were sent again of those sent, some of which had arrived already.
Edit sentAgain(std::int64_t segments, std::int64_t sent = 1'000'000, std::int64_t needlessly = 0)
{
    const auto growing = [](std::int64_t whole) {
        return [whole](int, double place) { return 100 + std::llround(place * static_cast<double>(whole)); };
    };
    return all({sampled("host_network", "machine", "tcp_segments_sent", "counter", growing(sent)),
                sampled("host_network", "machine", "tcp_segments_sent_again", "counter", growing(segments)),
                sampled("host_network", "machine", "tcp_segments_sent_again_needlessly", "counter",
                        growing(needlessly)),
                sampled("host_network", "machine", "tcp_timeouts", "counter", growing(segments / 100))});
}

/// A RoCE port to which so many packets were lost and sent again, and of whose card so many pause frames
/// came.
Edit roce(std::int64_t lost, std::int64_t pauses)
{
    const auto growing = [](std::int64_t whole) {
        return [whole](int, double place) { return std::llround(place * static_cast<double>(whole)); };
    };
    return all({activePort(), portCounts("rx_out_of_sequence", lost), portCounts("retransmissions", lost),
                portCounts("ecn_marked", pauses), roceFacts,
                sampled("ethtool", "eth2", "rx_pauses", "counter", growing(pauses)),
                sampled("ethtool", "eth2", "rx_pause_us", "counter", growing(pauses / 100))});
}

/// The first rank's GPU beside port mlx5_1:1; where mlx5_0:1 sits, which carries the data.
Edit places(const char* path, const char* node)
{
    return all({activePort(), activePort(0, "mlx5_1:1"), portFact("pci_path", path),
                portFact("numa_node", node),
                portFact("pci_path", "pci0000:80/0000:80:01.0/0000:81:00.0/0000:83:00.0", "mlx5_1:1"),
                portFact("numa_node", "1", "mlx5_1:1"),
                told("device", "gpu0_pci_path", "pci0000:80/0000:80:01.0/0000:81:00.0/0000:82:00.0"),
                told("device", "gpu0_numa_node", "1")});
}

/// A RoCE port with all kinds of addresses, and the index of the one that NCCL was told to take.
Edit gidIndex(const char* index)
{
    return all({activePort(), roceFacts, portFact("gids", "RoCE v2, routable"),
                portFact("gid_table", "0 v1 link-local, 1 v2 link-local, 2 v1 IPv4, 3 v2 IPv4"),
                told("environment", "NCCL_IB_GID_INDEX", index)});
}

/// What the kernel's log of the first rank's host says of an adapter in the middle of the run.
Edit kernelSays(trace::KernelEvent event, const std::string& line)
{
    return [event, line](TraceBuilder& trace) {
        trace::ProcessTrace& process = trace.process(0);
        constexpr trace::StringId kLine = 0x7000'0000;
        process.strings[kLine] = line;
        const auto id = static_cast<std::int64_t>(process.series.size()) + 1;
        process.series.push_back({id, trace::SeriesSource::stored(std::string(trace::kKernelLog)),
                                  "0000:5e:00.0",
                                  trace::SeriesMetric::stored(std::string(trace::wordOf(event))),
                                  trace::SeriesKindName::of(trace::entryOf(trace::SeriesKind::Event)), 0});
        const trace::KernelColumns& kernels = process.kernels;
        process.samples.timeNs.push_back(kernels.startNs[kernels.size() / 2]);
        process.samples.series.push_back(static_cast<std::uint32_t>(id));
        process.samples.value.push_back(kLine);
    };
}

/// From the middle of the run on, collectives take three times as long.
void slowerAfterTheMiddle(TraceBuilder& trace)
{
    for (int rank = 0; rank < trace.ranks(); ++rank) {
        trace::ProcessTrace& process = trace.process(rank);
        trace::KernelColumns& kernels = process.kernels;
        const std::int64_t middle = kernels.startNs[kernels.size() / 2];
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            const std::int64_t start = kernels.startNs[i];
            if (start > middle && process.text(kernels.name[i]).find("nccl") != std::string_view::npos) {
                kernels.endNs.set(i, start + 3 * (kernels.endNs[i] - start));
            }
        }
    }
}

/// Four GPUs, of which the last one has so many NVLinks to the first.
Edit topology(const std::string& links)
{
    return [links](TraceBuilder& trace) {
        auto& settings = trace.process(0).settings;
        settings.push_back({"machine", "topology GPU0", "GPU1=NV18 GPU2=NV18 GPU3=" + links + " NIC0=PIX"});
        settings.push_back({"machine", "topology GPU1", "GPU0=NV18 GPU2=NV18 GPU3=NV18 NIC0=PIX"});
        settings.push_back({"machine", "topology GPU2", "GPU0=NV18 GPU1=NV18 GPU3=NV18 NIC0=PIX"});
        settings.push_back({"machine", "topology GPU3", "GPU0=" + links + " GPU1=NV18 GPU2=NV18 NIC0=PIX"});
    };
}

} // namespace

std::vector<RuleCase> linkCases()
{
    return {
        {"congestion_control",
         overSockets({told("kernel", "net.ipv4.tcp_congestion_control", "reno"), sentAgain(5'000)}),
         overSockets({told("kernel", "net.ipv4.tcp_congestion_control", "cubic"),
                      sentAgain(9'000, 1'000'000, 8'960)}),
         {"congestion_control.min_bytes=1e12"},
         {"congestion_control.again=1e-5"},
         withoutEdit},
        {"gdr_unused",
         edited(all({activePort(), told("machine", "gpu_direct", "none")})),
         edited(all({activePort(), told("machine", "gpu_direct", "dma-buf")})),
         {"gdr_unused.min_bytes=1e12"},
         {},
         withoutEdit},
        {"nic_gpu_affinity",
         edited(places("pci0000:00/0000:00:01.0/0000:01:00.0", "0")),
         edited(places("pci0000:80/0000:80:01.0/0000:81:00.0/0000:84:00.0", "1")),
         {},
         {},
         withoutEdit},
        {"gpu_topology", edited(topology("NV12")), edited(topology("NV18")), {}, {}, withoutEdit},
        {"network_events",
         edited(all({slowerAfterTheMiddle,
                     kernelSays(trace::KernelEvent::NetFailover,
                                "2026-11-24 10:00:06 UTC: NET/IB: Device 1 marked as failed. Initiating "
                                "recovery? No")})),
         edited(kernelSays(
             trace::KernelEvent::NetPortUp,
             "2026-11-24 10:00:09 UTC: NET/IB : mlx5_1:1 Got non-fatal async event: port active(9)")),
         {},
         {},
         withoutEdit},
        {"kernel_events",
         edited(kernelSays(trace::KernelEvent::ModuleHeat,
                           "2026-11-24 10:00:03 UTC: mlx5_core 0000:5e:00.0: Port module event[error]: "
                           "module 0, Cable error, High Temperature")),
         edited(kernelSays(trace::KernelEvent::LinkUp,
                           "2026-11-24 10:00:03 UTC: mlx5_core 0000:5e:00.0 ens2f0np0: Link up")),
         {},
         {},
         withoutEdit},
        {"link_margin",
         edited(all({activePort(), portFact("module_celsius", "85")})),
         edited(all({activePort(), portFact("module_celsius", "55")})),
         {"link_margin.celsius=95", "link_margin.celsius_much=95"},
         {"link_margin.celsius=50"},
         withoutEdit},
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
         withoutEdit},
        {"roce_gid", edited(gidIndex("0")), edited(gidIndex("3")), {}, {}, withoutEdit},
        {"roce_not_lossless",
         edited(all({roce(3'000, 0), told("network", "eth2 pfc_priorities", "none")})),
         edited(roce(3'000, 1'000)),
         {"roce_not_lossless.loss=0.01"},
         {"roce_not_lossless.paused=1e-6"},
         withoutEdit},
        {"socket_interface",
         overSockets({twoCards("100000")}),
         overSockets({twoCards("1000")}),
         {"socket_interface.times=200"},
         {"socket_interface.times=1"},
         withoutEdit},
        {"tcp_buffers",
         overSockets({tcpBuffers("4096 131072 6291456"), told("kernel", "net.ipv4.tcp_window_scaling", "1")}),
         overSockets(
             {tcpBuffers("4096 131072 67108864"), told("kernel", "net.ipv4.tcp_window_scaling", "1")}),
         {"tcp_buffers.round_trip_ms=0.01"},
         {"tcp_buffers.round_trip_ms=10"},
         withoutEdit}};
}

} // namespace ringside::test
