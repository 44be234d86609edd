// SPDX-License-Identifier: Apache-2.0
// The counters of network interfaces that are up: what TCP moves. (RDMA ports have counters of their own: a
// source of its own beside this one.) The loopback counts where it is the only one, for ranks of one machine
// train over it.
#pragma once
#include "host/kept_file.h"
#include "sampled/source.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::collector::sampled {

/// A line of /proc/net/dev. Drops include what the device missed.
struct InterfaceCounters {
    enum Index { RxBytes, RxPackets, RxErrors, RxDropped, TxBytes, TxPackets, TxErrors, TxDropped, kCount };
    std::string_view name;
    std::array<std::uint64_t, kCount> values{};
};
[[nodiscard]] std::optional<InterfaceCounters> parseInterface(std::string_view line);

class Network final : public Source {
public:
    /// Other files than the machine's are for tests.
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
