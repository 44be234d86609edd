// SPDX-License-Identifier: Apache-2.0
// Whether TCP may keep enough in flight: bandwidth times delay, against what the kernel lets a socket grow
// to. About half of tcp_rmem's last number is a window; net.core.rmem_max bounds only sockets that set their
// size themselves.
#include "doctor/check.h"

#include <fmt/format.h>

#include <sstream>

namespace ringside::doctor {
namespace {

using rules::Severity;

struct Fastest {
    std::string interface;
    std::int64_t mbps = 0;
};

Fastest fastestInterface(const Facts& facts)
{
    Fastest best;
    for (const std::string& name : facts.namesAfter("interface.")) {
        const auto mbps = facts.number("interface." + name + ".speed_mbps");
        if (mbps && *mbps > best.mbps && facts.text("interface." + name + ".operstate") == "up" &&
            facts.text("interface." + name + ".physical") == "yes") {
            best = {name, *mbps};
        }
    }
    return best;
}

std::vector<Advice> run(const Facts& facts, const Need& need)
{
    std::vector<Advice> all;
    if (facts.text("sysctl.net.ipv4.tcp_window_scaling") == "0") {
        all.push_back({{},
                       Severity::Problem,
                       "TCP window scaling is off: no connection has more than 64 KiB in flight",
                       "At a round trip of 1 ms that is 0.5 Gb/s a connection.",
                       "sudo sysctl -w net.ipv4.tcp_window_scaling=1"});
    }
    if (facts.text("sysctl.net.ipv4.tcp_sack") == "0") {
        all.push_back({{},
                       Severity::Warning,
                       "Selective acknowledgement is off: a lost packet resends what came after it too",
                       "Turn it on for hosts that train together.",
                       "sudo sysctl -w net.ipv4.tcp_sack=1"});
    }
    const Fastest fastest = fastestInterface(facts);
    for (const char* const name : {"net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"}) {
        std::istringstream words{std::string(facts.text(std::string("sysctl.") + name))};
        std::int64_t least = 0;
        std::int64_t usual = 0;
        std::int64_t most = 0;
        if (fastest.mbps == 0 || !(words >> least >> usual >> most)) {
            continue;
        }
        constexpr double kBytesPerMbpsMs = 1e6 / 8 / 1000; // of one Mb/s in one ms
        constexpr double kUsableShare = 0.5;
        const double inFlight = static_cast<double>(fastest.mbps) * need.roundTripMs * kBytesPerMbpsMs;
        const double wanted = inFlight / kUsableShare;
        if (static_cast<double>(most) < wanted) {
            all.push_back(
                {{},
                 static_cast<double>(most) < inFlight / 4 ? Severity::Problem : Severity::Warning,
                 fmt::format("{} lets a connection use {:.1f} MiB; {} at {} Gb/s and a round trip of {} ms "
                             "needs {:.1f} MiB",
                             name, static_cast<double>(most) / 1048576, fastest.interface,
                             static_cast<double>(fastest.mbps) / 1000, need.roundTripMs, wanted / 1048576),
                 "Matters where NCCL uses sockets; several sockets a pair (NCCL_NSOCKS_PERTHREAD) share the "
                 "need. "
                 "--round-trip-ms says how far your hosts are apart.",
                 fmt::format("sudo sysctl -w {}='{} {} {:.0f}'", name, least, usual, wanted)});
        }
    }
    return all;
}

} // namespace
} // namespace ringside::doctor

RINGSIDE_CHECK(tcp_buffers, .title = "TCP", .run = ringside::doctor::run);
