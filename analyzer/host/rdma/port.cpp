// SPDX-License-Identifier: Apache-2.0
#include "host/rdma/port.h"

#include "host/network_facts.h"
#include "host/rdma/driver.h"
#include "host/sysfs_text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace ringside::host {
namespace fs = std::filesystem;

enum class Pace : std::uint8_t { Fast, Slow };

struct Port::Entry {
    const char* folder;
    const char* file;
    const char* metric;
    unsigned saturatesBits;
    std::uint64_t unit;
    Pace pace;

    static const std::vector<Entry>& all();
};

const std::vector<Port::Entry>& Port::Entry::all()
{
    static const std::vector<Entry> entries{
#define RINGSIDE_PORT_COUNTER(folder, file, metric, bits, unit, pace)                                        \
    {folder, file, metric, bits, unit, Pace::pace},
#include "host/rdma/counters.def"
    };
    return entries;
}

namespace {

/// Returns whether the error means that the device, or this file of it, does not exist.
bool isGone(int error)
{
    return error == ENOENT || error == ENODEV || error == ENXIO || error == ENOTDIR;
}

/// Returns whether the error concerns one counter only and not the device.
bool isRefusal(int error)
{
    return error == EOPNOTSUPP || error == EACCES || error == EPERM || error == ENOSYS;
}

/// Parses a GID in the format of sysfs: eight groups of four digits.
GidReach reachOf(const std::string& gid)
{
    return gid.starts_with("fe80")                             ? GidReach::LinkLocal
           : gid.starts_with("0000:0000:0000:0000:0000:ffff:") ? GidReach::IPv4
                                                               : GidReach::IPv6;
}

std::string firstOf(const std::vector<std::string>& names)
{
    return names.empty() ? std::string() : names.front();
}

} // namespace

Port::Port(std::string device, unsigned number, std::string classFolder)
    : m_device(std::move(device))
    , m_number(number)
    , m_classFolder(std::move(classFolder))
    , m_folder(m_classFolder + "/" + m_device + "/ports/" + std::to_string(number))
    , m_name(m_device + ":" + std::to_string(number))
{
    findFacts();
    findCounters();
}

void Port::findFacts()
{
    const std::string device = m_classFolder + "/" + m_device;
    const std::string netdev = readText(m_folder + "/gid_attrs/ndevs/0").text;
    m_netdev = netdev.empty() ? firstOf(namesIn(device + "/device/net")) : netdev;
    struct Fact {
        trace::PortFact name;
        std::string value;
    };
    const std::vector<Fact> facts{
        {"link_layer", readText(m_folder + "/link_layer").text},
        {"driver", driverOf(device, m_folder)},
        {"hca_type", readText(device + "/hca_type").text},
        {"board", readText(device + "/board_id").text},
        {"firmware", readText(device + "/fw_ver").text},
        {"pci", linkName(device + "/device")},
        {"pci_path", pciPath((fs::path(m_classFolder) / "../..").string(), linkName(device + "/device"))},
        {"numa_node", readText(device + "/device/numa_node").text},
        {"transport", readText(device + "/node_type").text.starts_with("4") ? "iWARP" : ""},
        {"netdev", m_netdev},
        {"bond", m_netdev.empty() ? "" : linkName(m_classFolder + "/../net/" + m_netdev + "/master")},
        {"physical_function", linkName(device + "/device/physfn")},
        {"pcie_max_gts", readText(device + "/device/max_link_speed").text},
        {"pcie_max_lanes", readText(device + "/device/max_link_width").text}};
    for (const auto& [name, value] : facts) {
        if (!value.empty()) {
            m_facts.emplace(name, value);
        }
    }
    if (isEthernet()) {
        findGids();
    }
}

void Port::findGids()
{
    constexpr unsigned kMost = 256;
    if (readText(m_classFolder + "/" + m_device + "/node_type").text.starts_with("4")) {
        return; // iWARP has no RoCE addresses
    }
    GidKinds kinds;
    for (unsigned index = 0; index < kMost; ++index) {
        const FileText gid = readText(m_folder + "/gids/" + std::to_string(index));
        if (isGone(gid.error) && index == 0) {
            return; // the kernel does not report any
        }
        if (isGone(gid.error)) {
            break;
        }
        if (gid.error != 0 || gid.text.find_first_not_of("0:") == std::string::npos) {
            continue; // an unused entry
        }
        const FileText type = readText(m_folder + "/gid_attrs/types/" + std::to_string(index));
        kinds.add(index, type.text == "RoCE v2", reachOf(gid.text));
    }
    m_facts.insert_or_assign("gids", kinds.text());
    m_facts.insert_or_assign("gid_table", kinds.table());
}

void Port::findCounters()
{
    for (const Entry& entry : Entry::all()) {
        addCounter(entry);
        if (m_leftAlone) {
            return;
        }
    }
}

// Files of hw_counters/ are used for values that counters/ lacks or refuses.
void Port::addCounter(const Entry& entry)
{
    const std::string path = m_folder + "/" + entry.folder + "/" + entry.file;
    const FileText probe = readText(path);
    if (isGone(probe.error)) {
        return;
    }
    const std::size_t index = quantityOf(entry.metric, true, entry.pace == Pace::Slow);
    std::vector<File>& files = m_files[index];
    const bool other = !files.empty() && !files.front().path.starts_with(m_folder + "/" + entry.folder + "/");
    if (other || outcomeOf(probe.error, path, m_quantities[index]) != Outcome::Got) {
        return;
    }
    if (!numberIn(probe.text)) {
        m_quantities[index].reason = entry.file + std::string(" says \"") + probe.text + "\"";
        return;
    }
    m_quantities[index].reason.clear();
    const bool ofHardware = std::strcmp(entry.folder, "hw_counters") == 0;
    files.push_back(
        {path, ofHardware ? entry.file : nullptr, CounterTrack(entry.saturatesBits, entry.unit), {}});
}

std::size_t Port::quantityOf(const char* metric, bool counter, bool slow)
{
    const auto found = std::find_if(m_quantities.begin(), m_quantities.end(), [&](const Quantity& each) {
        return std::strcmp(each.metric, metric) == 0;
    });
    if (found != m_quantities.end()) {
        return static_cast<std::size_t>(found - m_quantities.begin());
    }
    m_quantities.push_back({metric, counter, slow, std::nullopt, {}, false});
    m_files.emplace_back();
    return m_quantities.size() - 1;
}

void Port::read(Depth depth, const LinkState* reported, const HardwareCounters* counters)
{
    for (Quantity& quantity : m_quantities) {
        quantity.fresh = false;
        quantity.value.reset();
    }
    if (m_leftAlone) {
        return;
    }
    m_trouble.clear();
    checkFiles();
    if (reported != nullptr) {
        take(*reported, depth);
    } else {
        readStates(depth);
    }
    if (depth == Depth::All && m_trouble.empty()) {
        readPcie();
    }
    for (std::size_t index = 0; index < m_quantities.size() && m_trouble.empty(); ++index) {
        const bool due = !m_quantities[index].slow || depth == Depth::All;
        if (m_quantities[index].counter && due) {
            readCounter(index, counters);
        }
    }
    if (!m_trouble.empty()) {
        dropFiles();
    }
}

template <class Visit>
void Port::eachKept(const Visit& visit)
{
    visit(m_state);
    for (std::vector<File>& files : m_files) {
        for (File& file : files) {
            visit(file.kept);
        }
    }
}

void Port::dropFiles()
{
    eachKept([](KeptText& file) { file.drop(); });
}

// one per reading, because the files of a device disappear together
void Port::checkFiles()
{
    std::size_t open = 0;
    bool good = true;
    eachKept([&](KeptText& file) {
        if (file.isOpen() && open++ == m_checked) {
            good = file.isThere();
        }
    });
    m_checked = m_checked + 1 < open ? m_checked + 1 : 0;
    if (!good) {
        dropFiles();
    }
}

void Port::take(const LinkState& reported, Depth depth)
{
    m_state.drop();
    m_lastState.clear();
    set("state", reported.state, {}, false);
    set("physical_state", reported.physicalState, {}, false);
    setRate(reported.rate, "its width or speed is unknown");
    if (!reported.gids.empty()) {
        m_facts.insert_or_assign("gids", reported.gids);
        m_facts.insert_or_assign("gid_table", reported.gidTable);
    }
    if (depth == Depth::All) {
        set("mtu_bytes", reported.mtuBytes, "the device reports none", true);
        set("mtu_max_bytes", reported.largestMtuBytes, "the device reports none", true);
    }
}

void Port::setRate(const std::optional<Rate>& rate, const char* reason)
{
    set("rate_mbps", rate ? std::optional(rate->mbps) : std::nullopt, reason, false);
    set("lanes", rate ? rate->lanes : std::nullopt, reason, false);
    if (rate && !rate->generation.empty()) {
        m_facts.insert_or_assign("generation", rate->generation);
    }
}

// The properties of a link change with its state; otherwise they are read from time to time.
void Port::readStates(Depth depth)
{
    const bool all = depth == Depth::All;
    const std::string path = m_folder + "/state";
    const FileText state = all ? readText(path) : m_state.read(path); // the port may have a new name
    if (isGone(state.error)) {
        m_trouble = "it is gone";
        return;
    }
    set("state", codeIn(state.text), "state says \"" + state.text + "\"", false);
    if (all || state.text != m_lastState) {
        const FileText physical = readText(m_folder + "/phys_state");
        set("physical_state", codeIn(physical.text), "phys_state cannot be read", false);
        setRate(rateIn(readText(m_folder + "/rate").text), "rate cannot be read, or contains no rate");
    }
    m_lastState = state.text;
    if (all && isEthernet() && !m_netdev.empty()) {
        const auto mtu = numberIn(readText(m_classFolder + "/../net/" + m_netdev + "/mtu").text);
        set("mtu_bytes", mtu ? roceMtu(*mtu) : std::nullopt, "the interface's MTU cannot be read", true);
    }
}

void Port::readPcie()
{
    const std::string device = m_classFolder + "/" + m_device + "/device";
    const FileText speed = readText(device + "/current_link_speed");
    if (speed.error == 0) {
        set("pcie_mbps", pcieMbps(speed.text, readText(device + "/current_link_width").text),
            "the PCIe link says \"" + speed.text + "\"", true);
    }
}

void Port::set(const char* metric, std::optional<std::uint64_t> value, const std::string& reason, bool slow)
{
    Quantity& quantity = m_quantities[quantityOf(metric, false, slow)];
    quantity.value = value;
    quantity.fresh = true;
    quantity.reason = value ? std::string() : reason;
}

// A counter that was not reported may still have a file.
FileText Port::textOf(File& file, bool slow, const HardwareCounters* counters)
{
    if (counters != nullptr && file.hardware != nullptr) {
        if (const auto reported = counters->find(file.hardware); reported != counters->end()) {
            file.kept.drop();
            return {std::to_string(reported->second), 0};
        }
    }
    return slow && !KeptText::isRoomy() ? readText(file.path) : file.kept.read(file.path);
}

void Port::readCounter(std::size_t index, const HardwareCounters* counters)
{
    Quantity& quantity = m_quantities[index];
    quantity.fresh = true;
    std::uint64_t sum = 0;
    bool known = !m_files[index].empty();
    std::string reached;
    for (File& file : m_files[index]) {
        const FileText text = textOf(file, quantity.slow, counters);
        const Outcome outcome = outcomeOf(text.error, file.path, quantity);
        if (outcome == Outcome::Refused) {
            m_files[index].clear(); // reading it again would not help; its reason is kept
            return;
        }
        const auto raw = outcome == Outcome::Got ? numberIn(text.text) : std::nullopt;
        const auto total = raw ? file.track.take(*raw) : std::nullopt;
        if (raw && !total) {
            quantity.reason = "it sticks at its largest value, " + text.text;
        } else if (raw && file.track.arrived()) {
            reached = "it reached its largest value, " + text.text + ", so it gained at least as much";
        } else if (outcome == Outcome::Got && !raw) {
            quantity.reason = "at times it is no number";
        }
        known = known && total;
        sum += total.value_or(0);
    }
    if (known) {
        quantity.value = sum;
        quantity.reason = reached;
    }
}

Port::Outcome Port::outcomeOf(int error, const std::string& path, Quantity& quantity)
{
    if (error == 0) {
        return Outcome::Got;
    }
    quantity.reason = path.substr(path.rfind('/') + 1) + ": " + std::strerror(error);
    if (isGone(error) || error == EINTR || error == EAGAIN || error == EFBIG) {
        return Outcome::NotNow;
    }
    constexpr int kMostBroken = 3;
    if (isRefusal(error) || ++m_broken < kMostBroken) {
        return Outcome::Refused;
    }
    m_leftAlone = true;
    m_trouble = quantity.reason;
    return Outcome::Broken;
}

std::uint64_t Port::resets() const
{
    std::uint64_t sum = 0;
    for (const std::vector<File>& files : m_files) {
        for (const File& file : files) {
            sum += file.track.resets();
        }
    }
    return sum;
}

bool Port::isEthernet() const
{
    const auto found = m_facts.find("link_layer");
    return found != m_facts.end() && found->second == "Ethernet";
}

} // namespace ringside::host
