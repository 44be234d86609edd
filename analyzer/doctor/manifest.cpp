// SPDX-License-Identifier: Apache-2.0
#include "doctor/manifest.h"

#include "host/sysfs_text.h"
#include "output/json_value.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace ringside::doctor {
namespace {

constexpr const char* kSchema = "ringside-manifest/1";

/// The texts of a device, by their names in the file.
struct Field {
    const char* name;
    std::string Device::*text;
};
constexpr Field kFields[] = {{"name", &Device::name},   {"slot", &Device::slot}, {"kind", &Device::kind},
                             {"state", &Device::state}, {"rate", &Device::rate}, {"pcie", &Device::pcie}};

/// Speed and width of a PCIe link. A GPU saves power by lowering its speed while it is idle, so its largest
/// speed counts.
std::string pcieOf(const Facts& facts, const std::string& device, bool largest)
{
    const std::string_view speed = facts.text(device + (largest ? ".max_link_speed" : ".current_link_speed"));
    const std::string_view width = facts.text(device + ".current_link_width");
    return speed.empty() || width.empty() ? std::string() : fmt::format("{} x{}", speed, width);
}

std::uint64_t mbpsOf(std::string_view rate)
{
    const auto parsed = host::rateIn(rate);
    return parsed ? parsed->mbps : 0;
}

bool holdsWord(std::string_view text, std::string_view word)
{
    return text.find(word) != std::string_view::npos;
}

/// The roles of rules/shared/port_peers.h, by the same criteria.
std::string roleOf(const Device& port, std::string_view netdev, std::uint64_t fastestMbps)
{
    constexpr std::uint64_t kSlower = 4;
    const bool active = port.state.starts_with('4');
    return holdsWord(port.name, "bond") || netdev.starts_with("bond")  ? "bond"
           : holdsWord(port.name, "stor") || holdsWord(netdev, "stor") ? "storage"
           : active && mbpsOf(port.rate) * kSlower <= fastestMbps      ? "management"
                                                                       : "rail";
}

struct Port {
    Device device;
    std::string netdev;
};

std::vector<Port> portsOf(const Facts& facts)
{
    std::vector<Port> ports;
    for (const std::string& name : facts.namesAfter("rdma.")) {
        const std::size_t slash = name.find('/');
        if (slash == std::string::npos) {
            continue; // the adapter itself
        }
        const std::string adapter = "rdma." + name.substr(0, slash);
        const std::string port = "rdma." + name;
        Device device{name,
                      std::string(facts.text(adapter + ".pci")),
                      std::string(facts.text(adapter + ".hca_type")),
                      std::string(facts.text(port + ".state")),
                      std::string(facts.text(port + ".rate")),
                      {}};
        device.pcie = pcieOf(facts, "nic." + device.slot, false);
        ports.push_back({std::move(device), std::string(facts.text(port + ".netdev"))});
    }
    return ports;
}

void addInterfaces(const Facts& facts, const std::set<std::string>& netdevs, Manifest& manifest)
{
    for (const std::string& name : facts.namesAfter("interface.")) {
        const std::string fact = "interface." + name;
        if (facts.text(fact + ".physical") != "yes" || netdevs.contains(name)) {
            continue; // those of RDMA ports are there already
        }
        Device device{
            name, std::string(facts.text(fact + ".pci")), std::string(facts.text(fact + ".driver")), {}, {},
            {}};
        if (const std::string_view mbps = facts.text(fact + ".speed_mbps"); !mbps.empty()) {
            device.rate = fmt::format("{} Mb/s", mbps);
        }
        device.pcie = pcieOf(facts, "nic." + device.slot, false);
        manifest["interface"].push_back(std::move(device));
    }
}

std::string textOf(const Device& device)
{
    return device.slot.empty() || device.slot == device.name
               ? device.name
               : fmt::format("{} (slot {})", device.name, device.slot);
}

/// Pairs the devices of a role: by slot, then by name, then what is left by its order.
class Pairs {
public:
    Pairs(const std::vector<Device>& expected, const std::vector<Device>& found)
        : m_expected(expected), m_found(found), m_pairOf(expected.size()), m_taken(found.size())
    {
        pair([](const Device& a, const Device& b) { return !a.slot.empty() && a.slot == b.slot; });
        pair([](const Device& a, const Device& b) { return a.name == b.name; });
        pair([](const Device&, const Device&) { return true; });
    }
    [[nodiscard]] const Device* of(std::size_t expected) const { return m_pairOf[expected]; }
    [[nodiscard]] std::vector<const Device*> extras() const
    {
        std::vector<const Device*> all;
        for (std::size_t i = 0; i < m_found.size(); ++i) {
            if (!m_taken[i]) {
                all.push_back(&m_found[i]);
            }
        }
        return all;
    }

private:
    template <class Fits>
    void pair(const Fits& fits)
    {
        for (std::size_t e = 0; e < m_expected.size(); ++e) {
            for (std::size_t f = 0; f < m_found.size() && m_pairOf[e] == nullptr; ++f) {
                if (!m_taken[f] && fits(m_expected[e], m_found[f])) {
                    m_pairOf[e] = &m_found[f];
                    m_taken[f] = true;
                }
            }
        }
    }

    const std::vector<Device>& m_expected;
    const std::vector<Device>& m_found;
    std::vector<const Device*> m_pairOf;
    std::vector<bool> m_taken;
};

/// Gives devices the role that the manifest has for their slot and name: a rail that fell to a quarter of its
/// rate is still a rail.
Manifest inRolesOf(const Manifest& expected, const Manifest& found)
{
    Manifest result;
    for (const auto& [role, devices] : found) {
        for (const Device& device : devices) {
            const auto knows = [&](const auto& entry) {
                return std::ranges::any_of(entry.second, [&](const Device& each) {
                    return each.slot == device.slot && each.name == device.name;
                });
            };
            const auto known = std::ranges::find_if(expected, knows);
            result[known != expected.end() ? known->first : role].push_back(device);
        }
    }
    return result;
}

void add(std::vector<Advice>& all, rules::Severity severity, std::string title)
{
    all.push_back(
        {"manifest", severity, std::move(title),
         "It differs from the manifest of --expect. If the new value is correct, write the manifest "
         "again with --manifest.",
         ""});
}

/// What a device does not do as it should. A rail with a wrong rate slows every collective of the job.
void compareDevice(const std::string& role, const Device& expected, const Device& found,
                   std::vector<Advice>& all)
{
    const auto compare = [&](std::string Device::*text, std::string_view verb, rules::Severity severity) {
        if (!(expected.*text).empty() && found.*text != expected.*text) {
            add(all, severity,
                fmt::format("{} {} {} {}; {} was expected", role, textOf(found), verb,
                            (found.*text).empty() ? "nothing that can be read" : found.*text,
                            expected.*text));
        }
    };
    compare(&Device::state, "is in state", rules::Severity::Problem);
    if (found.state == expected.state) {
        compare(&Device::rate, "has a rate of", rules::Severity::Problem); // a port that is down has none
    }
    compare(&Device::pcie, "has a PCIe link of", rules::Severity::Problem);
    compare(&Device::kind, "is a", rules::Severity::Warning);
    if (found.slot == expected.slot) {
        compare(&Device::name, "is called", rules::Severity::Warning);
    } else if (found.name == expected.name) {
        compare(&Device::slot, "sits in slot", rules::Severity::Warning);
    } else {
        add(all, rules::Severity::Warning,
            fmt::format("{} {} is there; {} was expected", role, textOf(found), textOf(expected)));
    }
}

} // namespace

Manifest manifestOf(const Facts& facts)
{
    Manifest manifest;
    std::set<std::string> netdevs;
    const std::vector<Port> ports = portsOf(facts);
    std::uint64_t fastest = 0;
    for (const Port& port : ports) {
        fastest = std::max(fastest, port.device.state.starts_with('4') ? mbpsOf(port.device.rate) : 0);
    }
    for (const Port& port : ports) {
        netdevs.insert(port.netdev);
        manifest[roleOf(port.device, port.netdev, fastest)].push_back(port.device);
    }
    for (const std::string& slot : facts.namesAfter("gpu.")) {
        manifest["gpu"].push_back({slot, slot, {}, {}, {}, pcieOf(facts, "gpu." + slot, true)});
    }
    addInterfaces(facts, netdevs, manifest);
    return manifest;
}

std::string manifestText(const Manifest& manifest)
{
    using Json = nlohmann::ordered_json;
    Json roles = Json::object();
    for (const auto& [role, devices] : manifest) {
        Json list = Json::array();
        for (const Device& device : devices) {
            Json entry = Json::object();
            for (const Field& field : kFields) {
                if (const std::string& text = device.*field.text; !text.empty()) {
                    entry[field.name] = text;
                }
            }
            list.push_back(std::move(entry));
        }
        roles[role] = {{"count", devices.size()}, {"devices", std::move(list)}};
    }
    const Json root = {{"schema", kSchema}, {"roles", std::move(roles)}};
    return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool isManifest(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    return begin != std::string_view::npos && text[begin] == '{';
}

Manifest manifestIn(const std::string& path, std::string_view text)
{
    constexpr const char* kHelp = "Write it with `ringside doctor --manifest` on a correctly set up host.";
    const auto root = nlohmann::json::parse(text, nullptr, false);
    if (!root.is_object() || root.value("schema", nlohmann::json()) != kSchema ||
        !root.value("roles", nlohmann::json()).is_object()) {
        throw Error(ErrorCode::Unusable, fmt::format("{} is no manifest of version {}", path, kSchema),
                    kHelp);
    }
    Manifest manifest;
    for (const auto& [role, entry] : root["roles"].items()) {
        const auto devices = entry.is_object() ? entry.value("devices", nlohmann::json()) : nlohmann::json();
        if (!devices.is_array() || entry.value("count", nlohmann::json()) != devices.size()) {
            throw Error(ErrorCode::Unusable,
                        fmt::format("{}: the count of role {} is not that of its devices", path, role),
                        kHelp);
        }
        for (const auto& device : devices) {
            Device& read = manifest[role].emplace_back();
            for (const Field& field : kFields) {
                const auto found = device.is_object() ? device.find(field.name) : device.end();
                if (found != device.end() && found->is_string()) {
                    read.*field.text = found->get<std::string>();
                }
            }
        }
    }
    return manifest;
}

std::vector<Advice> deviations(const Manifest& expected, const Facts& facts)
{
    std::vector<Advice> all;
    if (expected.empty()) {
        return all;
    }
    const Manifest found = inRolesOf(expected, manifestOf(facts));
    static const std::vector<Device> kNone;
    for (const auto& [role, devices] : expected) {
        const auto own = found.find(role);
        const std::vector<Device>& there = own != found.end() ? own->second : kNone;
        if (there.size() < devices.size()) {
            add(all, rules::Severity::Problem,
                fmt::format("{} devices of role {} are there; {} were expected", there.size(), role,
                            devices.size()));
        }
        const Pairs pairs(devices, there);
        for (std::size_t i = 0; i < devices.size(); ++i) {
            if (const Device* const pair = pairs.of(i)) {
                compareDevice(role, devices[i], *pair, all);
            } else {
                add(all, rules::Severity::Problem, fmt::format("{} {} is missing", role, textOf(devices[i])));
            }
        }
        for (const Device* const extra : pairs.extras()) {
            add(all, rules::Severity::Warning,
                fmt::format("{} {} is there and was not expected", role, textOf(*extra)));
        }
    }
    for (const auto& [role, devices] : found) {
        if (!expected.contains(role)) {
            add(all, rules::Severity::Warning,
                fmt::format("{} of role {} {} there, none was expected: {}", devices.size(), role,
                            devices.size() == 1 ? "is" : "are", textOf(devices.front())));
        }
    }
    return all;
}

} // namespace ringside::doctor
