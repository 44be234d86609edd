// SPDX-License-Identifier: Apache-2.0
#include "settings/tcp.h"

#include "words/tcp_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

namespace ringside::settings {
namespace {

using trace::Severity;
namespace text = words::tcp_settings;

constexpr double kUsableShare = 0.5; // about half of a buffer is usable as window; the kernel needs the rest

void addSwitchRemarks(const KernelSetting& setting, std::vector<TcpRemark>& all)
{
    if (setting("net.ipv4.tcp_window_scaling") == "0") {
        all.push_back({Severity::Problem, "net.ipv4.tcp_window_scaling", text::no_scaling,
                       text::scaling_matters, "sudo sysctl -w net.ipv4.tcp_window_scaling=1"});
    }
    if (setting("net.ipv4.tcp_sack") == "0") {
        all.push_back({Severity::Warning, "net.ipv4.tcp_sack", text::no_sack, text::sack_matters,
                       "sudo sysctl -w net.ipv4.tcp_sack=1"});
    }
}

void addBufferRemark(const KernelSetting& setting, const char* name, const TcpNeed& need,
                     std::vector<TcpRemark>& all)
{
    std::istringstream words{std::string(setting(name))};
    std::int64_t least = 0;
    std::int64_t usual = 0;
    std::int64_t most = 0;
    const double wanted = need.inFlight() / kUsableShare;
    if (!(words >> least >> usual >> most) || static_cast<double>(most) >= wanted) {
        return;
    }
    const auto severity =
        static_cast<double>(most) < need.inFlight() / 4 ? Severity::Problem : Severity::Warning;
    all.push_back({severity, name,
                   say(text::small_buffer, {{"setting", name},
                                            {"bytes", most},
                                            {"interface", need.interface},
                                            {"gbps", static_cast<double>(need.mbps) / 1000},
                                            {"round_trip_ms", need.roundTripMs},
                                            {"wanted", wanted}}),
                   text::buffer_matters,
                   fmt::format("sudo sysctl -w {}='{} {} {:.0f}'", name, least, usual, wanted),
                   static_cast<double>(most), wanted});
}

} // namespace

double TcpNeed::inFlight() const
{
    constexpr double kBytesPerMbpsMs = 1e6 / 8 / 1000; // bytes that 1 Mb/s carries in 1 ms
    return static_cast<double>(mbps) * roundTripMs * kBytesPerMbpsMs;
}

std::vector<TcpRemark> checkTcpBuffers(const KernelSetting& setting, const TcpNeed& need)
{
    std::vector<TcpRemark> all;
    addSwitchRemarks(setting, all);
    for (const char* const name : {"net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"}) {
        if (need.mbps > 0) {
            addBufferRemark(setting, name, need, all);
        }
    }
    return all;
}

std::vector<TcpRemark> checkCongestionControl(const KernelSetting& setting)
{
    // dctcp needs switches that mark packets; a host that is set to dctcp is assumed to have them.
    constexpr std::array<std::string_view, 3> kGood{"cubic", "bbr", "dctcp"};
    const std::string_view control = setting("net.ipv4.tcp_congestion_control");
    if (control.empty() || std::ranges::find(kGood, control) != kGood.end()) {
        return {};
    }
    return {{Severity::Warning, "net.ipv4.tcp_congestion_control",
             say(text::poor_control, {{"control", control}}), text::control_matters,
             "sudo sysctl -w net.ipv4.tcp_congestion_control=cubic"}};
}

} // namespace ringside::settings
