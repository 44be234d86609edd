// SPDX-License-Identifier: Apache-2.0
// Samples the kernel's TCP counters of the whole machine, and reads its network once: interfaces,
// settings, whether adapters can access GPUs. One process a host does it (once_a_host.h). tcp_peers.h
// samples single connections.
#pragma once
#include "host/kept_file.h"
#include "sampled/source.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::collector::sampled {

/// Parses a value of /proc/net/snmp or netstat: a line of names and a line of values, both starting with
/// `group` ("Tcp:"). Null: the two lines do not match.
[[nodiscard]] std::optional<std::uint64_t> parseStatistic(std::string_view text, std::string_view group,
                                                          std::string_view name);

class HostNetwork final : public Source {
public:
    explicit HostNetwork(std::string sysfsRoot = "/sys", std::string procRoot = "/proc")
        : m_sysfsRoot(std::move(sysfsRoot)), m_procRoot(std::move(procRoot))
    {}
    [[nodiscard]] const char* name() const override { return "host_network"; }
    void open() override;
    void read(Readings& readings, Pace pace) override;
    [[nodiscard]] std::string reason() const override { return {}; }

private:
    struct Statistic {
        const char* group;
        const char* field;
        bool extended; ///< of netstat, else of snmp
        Series series;
    };
    void tellFacts(Readings& readings) const;

    std::string m_sysfsRoot;
    std::string m_procRoot;
    bool m_reported = false;
    host::KeptFile m_basic;
    host::KeptFile m_extended;
    std::array<char, 16384> m_basicText{};
    std::array<char, 16384> m_extendedText{};
    std::array<Statistic, 5> m_statistics{
        {{"Tcp:", "OutSegs", false, {"machine", trace::SeriesName::TcpSegmentsSent}},
         {"Tcp:", "RetransSegs", false, {"machine", trace::SeriesName::TcpSegmentsSentAgain}},
         // The receiver reported (DSACK, RFC 2883) that it had them already: nothing was lost. Since
         // Linux 5.9.
         {"TcpExt:",
          "TCPDSACKRecvSegs",
          true,
          {"machine", trace::SeriesName::TcpSegmentsSentAgainNeedlessly}},
         {"TcpExt:", "TCPTimeouts", true, {"machine", trace::SeriesName::TcpTimeouts}},
         {"TcpExt:", "TCPRcvQDrop", true, {"machine", trace::SeriesName::TcpReceiveDrops}}}};
};

} // namespace ringside::collector::sampled
