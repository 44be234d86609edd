// SPDX-License-Identifier: Apache-2.0
// Variables that name interfaces, adapters or addresses which this host does not have.
#include "doctor/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace ringside::doctor::check_network_names {
namespace {

using rules::Severity;

/// How NCCL reads such a list (user guide): `^` leaves out what follows, `=` asks for whole names, else each
/// is the beginning of names.
struct NameList {
    bool excludes = false;
    bool whole = false;
    std::vector<std::string> names;
};

NameList listOf(std::string_view text)
{
    NameList list;
    list.excludes = text.starts_with('^');
    text.remove_prefix(list.excludes ? 1 : 0);
    list.whole = text.starts_with('=');
    text.remove_prefix(list.whole ? 1 : 0);
    while (!text.empty()) {
        const std::string_view name = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), name.size() + 1));
        list.names.emplace_back(name);
    }
    return list;
}

bool isAmong(std::string_view name, bool whole, const std::vector<std::string>& present)
{
    return std::ranges::any_of(
        present, [&](const std::string& each) { return whole ? each == name : each.starts_with(name); });
}

/// A variable, and what its names are compared with.
struct Naming {
    std::string_view variable;
    std::string_view what; ///< "interface"
    bool always = false;   ///< its names are whole ones without `=`
    const std::vector<std::string>& present;
};

std::string valueOf(const Facts& facts, std::string_view variable)
{
    const std::string_view own = facts.text(fmt::format("environment.{}", variable));
    return std::string(!own.empty() ? own : facts.text(fmt::format("nccl.conf.{}", variable)));
}

void checkNames(const Facts& facts, const Naming& naming, std::vector<Advice>& all)
{
    const std::string value = valueOf(facts, naming.variable);
    if (value.empty() || naming.present.empty()) {
        return; // without any interface or adapter this is a copy that lacks them
    }
    const NameList list = listOf(value);
    std::string missing;
    std::size_t count = 0;
    for (const std::string& name : list.names) {
        const std::string device = name.substr(0, name.find(':'));
        if (!isAmong(device, list.whole || naming.always, naming.present)) {
            missing += (missing.empty() ? "" : ", ") + device;
            ++count;
        }
    }
    if (missing.empty()) {
        return;
    }
    const bool none = !list.excludes && count == list.names.size();
    all.push_back({{},
                   none            ? Severity::Problem
                   : list.excludes ? Severity::Info
                                   : Severity::Warning,
                   fmt::format("{}={}: this host has no {} {}", naming.variable, value, naming.what, missing),
                   none ? fmt::format("Nothing is left for the job to use. This host has {}.",
                                      fmt::join(naming.present, ", "))
                        : fmt::format("The name has no effect here. This host has {}.",
                                      fmt::join(naming.present, ", ")),
                   ""});
}

/// An index that no port's table of addresses has.
void checkGidIndex(const Facts& facts, const std::vector<std::string>& ports, std::vector<Advice>& all)
{
    const std::string value = valueOf(facts, "NCCL_IB_GID_INDEX");
    std::int64_t index = -1;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), index);
    if (error != std::errc() || end != value.data() + value.size() || index < 0) {
        return;
    }
    for (const std::string& port : ports) {
        const auto gids = facts.number("rdma." + port + ".gids");
        if (gids && index >= *gids) {
            all.push_back({{},
                           Severity::Problem,
                           fmt::format("NCCL_IB_GID_INDEX={}: the table of RDMA port {} ends at {}", index,
                                       port, *gids - 1),
                           "Connections over this port will fail. Remove the variable: since NCCL 2.21 the "
                           "index is found for each port.",
                           "unset NCCL_IB_GID_INDEX"});
            return;
        }
    }
}

std::vector<Advice> run(const Facts& facts, const Need&)
{
    const std::vector<std::string> interfaces = facts.namesAfter("interface.");
    std::vector<std::string> ports = facts.namesAfter("rdma.");
    std::erase_if(ports, [](const std::string& name) { return name.find('/') == std::string::npos; });
    std::vector<std::string> devices;
    for (const std::string& port : ports) {
        const std::string device = port.substr(0, port.find('/'));
        if (std::ranges::find(devices, device) == devices.end()) {
            devices.push_back(device);
        }
    }
    std::vector<std::string> both = interfaces;
    both.insert(both.end(), devices.begin(), devices.end());
    std::vector<Advice> all;
    for (const Naming& naming : {Naming{"NCCL_SOCKET_IFNAME", "interface", false, interfaces},
                                 Naming{"GLOO_SOCKET_IFNAME", "interface", true, interfaces},
                                 Naming{"TP_SOCKET_IFNAME", "interface", true, interfaces},
                                 Naming{"NCCL_IB_HCA", "RDMA device", false, devices}}) {
        checkNames(facts, naming, all);
    }
    if (valueOf(facts, "UCX_NET_DEVICES") != "all") {
        checkNames(facts, {"UCX_NET_DEVICES", "device", true, both}, all);
    }
    checkGidIndex(facts, ports, all);
    return all;
}

} // namespace

RINGSIDE_CHECK(network_names, .title = "Names of interfaces and adapters", .run = run);

} // namespace ringside::doctor::check_network_names
