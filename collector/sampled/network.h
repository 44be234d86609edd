// SPDX-License-Identifier: Apache-2.0
// Samples the counters of network interfaces that are up, which show TCP traffic. (RDMA ports have their
// own counters and source: rdma.h.) The loopback interface is sampled only if there is no other: ranks
// on one machine communicate over it.
#pragma once
#include "host/kept_file.h"
#include "sampled/source.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::collector::sampled {

/// Parses a line of /proc/net/dev. Drops include packets that the device missed.
struct InterfaceCounters {
    enum Index { RxBytes, RxPackets, RxErrors, RxDropped, TxBytes, TxPackets, TxErrors, TxDropped, kCount };
    std::string_view name;
    std::array<std::uint64_t, kCount> values{};
};
[[nodiscard]] std::optional<InterfaceCounters> parseInterface(std::string_view line);

class Network final : public Source {
public:
    /// Tests pass other files than the machine's.
    explicit Network(std::string counters = "/proc/net/dev", std::string interfaces = "/sys/class/net")
        : m_countersPath(std::move(counters)), m_interfacesPath(std::move(interfaces))
    {}
    [[nodiscard]] const char* name() const override { return "network"; }
    void open() override;
    void read(Readings& readings, Pace pace) override;
    [[nodiscard]] std::string reason() const override { return m_reason; }

private:
    struct Interface {
        explicit Interface(const std::string& name);
        std::array<Series, InterfaceCounters::kCount> series;
        Series rate;
        bool wanted = false;
    };
    void choose(std::string_view text, Readings& readings);
    void readRate(const std::string& name, Interface& interface, Readings& readings) const;
    [[nodiscard]] bool isUp(const std::string& name) const;

    std::string m_countersPath;
    std::string m_interfacesPath;
    host::KeptFile m_counters;
    std::array<char, 16384> m_buffer{};
    std::map<std::string, Interface, std::less<>>
        m_interfaces; ///< also those that are gone: they may come back
    bool m_saidTooMany = false;
    std::string m_reason;
};

} // namespace ringside::collector::sampled
