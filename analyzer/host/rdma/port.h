// SPDX-License-Identifier: Apache-2.0
// A port of an RDMA device as sysfs shows it, in the neutral words of counters.def: what the collector
// samples and `ringside links --live` shows are the same readings. Only reads; a file that fails is not asked
// again, and a device of which three do is left alone, because every attempt may write into the kernel's log.
#pragma once
#include "host/kept_text.h"
#include "host/rdma/counter_track.h"
#include "host/rdma/link_state.h"
#include "trace/vocabulary/port_fact.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ringside::host {

/// Errors of the physical link rarely change, and each reading takes a command of the firmware. All is
/// therefore used only from time to time.
enum class Depth { Fast, All };

/// A numeric property of a port.
struct Quantity {
    const char* metric = "";
    bool counter = true; ///< false for a state, which is valid until the next reading
    bool slow = false;
    std::optional<std::uint64_t> value; ///< of the last reading; nothing: could not be read, or sticks
    /// Why there is no value, or why it is one at least; empty where there is one.
    std::string reason;
    bool fresh = false; ///< was asked for in the last reading
};

class Port final {
public:
    /// `folder` is CLASS/DEVICE/ports/NUMBER. Reads once which quantities exist.
    Port(std::string device, unsigned number, std::string classFolder);

    /// Returns "mlx5_0:1", in the format of NCCL_IB_HCA.
    [[nodiscard]] const std::string& name() const { return m_name; }
    [[nodiscard]] const std::string& device() const { return m_device; }
    [[nodiscard]] unsigned number() const { return m_number; }
    /// Facts that do not change while the port exists: driver, link_layer, firmware, netdev ... Hardware
    /// addresses are never included.
    [[nodiscard]] const trace::PortFacts& facts() const { return m_facts; }
    [[nodiscard]] const std::vector<Quantity>& quantities() const { return m_quantities; }
    /// Why the port is not read any more, or at the moment; empty if it is.
    [[nodiscard]] const std::string& trouble() const { return m_trouble; }
    [[nodiscard]] bool leftAlone() const { return m_leftAlone; }
    /// Number of counter resets.
    [[nodiscard]] std::uint64_t resets() const;

    /// Reads the port. Values of `reported` for the link and the hardware counters take precedence over
    /// sysfs.
    void read(Depth depth, const LinkState* reported = nullptr, const HardwareCounters* counters = nullptr);

private:
    struct File {
        std::string path;
        const char* hardware; ///< its name among the hardware counters; null if it is none of them
        CounterTrack track;
        KeptText kept;
    };
    struct Entry; // an entry of counters.def

    void findFacts();
    void findGids();
    void findCounters();
    void addCounter(const Entry& entry);
    std::size_t quantityOf(const char* metric, bool counter, bool slow);
    void take(const LinkState& reported, Depth depth);
    void setRate(const std::optional<Rate>& rate, const char* reason);
    void readStates(Depth depth);
    void readPcie();
    template <class Visit>
    void eachKept(const Visit& visit); ///< called for each file that may be open
    void dropFiles();
    void checkFiles(); ///< checks one of the files per call, in turn
    void set(const char* metric, std::optional<std::uint64_t> value, const std::string& reason, bool slow);
    static FileText textOf(File& file, bool slow, const HardwareCounters* counters);
    void readCounter(std::size_t index, const HardwareCounters* counters);
    enum class Outcome : std::uint8_t { Got, NotNow, Refused, Broken };
    /// Value from reading a file of the quantity, with the reason if it failed.
    Outcome outcomeOf(int error, const std::string& path, Quantity& quantity);
    [[nodiscard]] bool isEthernet() const;

    std::string m_device;
    unsigned m_number;
    std::string m_classFolder;
    std::string m_folder;
    std::string m_name;
    trace::PortFacts m_facts;
    std::vector<Quantity> m_quantities;
    /// One list per quantity; empty for states and for quantities that are not measured.
    std::vector<std::vector<File>> m_files;
    std::string m_trouble;
    bool m_leftAlone = false;
    int m_broken = 0; ///< files that failed as a whole device would
    std::string m_netdev;
    KeptText m_state;
    std::string m_lastState;   ///< according to sysfs
    std::size_t m_checked = 0; ///< index of the open file to check next
};

} // namespace ringside::host
