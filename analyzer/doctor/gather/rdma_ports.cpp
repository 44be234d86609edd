// SPDX-License-Identifier: Apache-2.0
// RDMA devices and their ports, from the kernel's InfiniBand class.
#include "doctor/gatherer.h"
#include "host/network_facts.h"
#include "host/rdma/port_list.h"

namespace ringside::doctor::gatherer_rdma_ports {
namespace {

constexpr std::string_view kPortFiles[] = {"state", "phys_state", "rate", "link_layer"};

/// What the collector would sample of each port, as "port.mlx5_0:1.value.state", with its facts as
/// "port.mlx5_0:1.fact.driver", and why a value is missing as "port.mlx5_0:1.missing.mtu_bytes".
void addReadings(const Root& root, Facts& facts)
{
    ringside::host::PortList list(root.path("/sys"));
    list.findNew();
    for (const auto& port : list.ports()) {
        const std::string of = "port." + port->name() + ".";
        port->read(ringside::host::Depth::All);
        for (const auto& [name, value] : port->facts()) {
            facts.set(of + "fact." + std::string(name.text()), value);
        }
        for (const ringside::host::Quantity& each : port->quantities()) {
            facts.set(of + (each.value ? "value." : "missing.") + each.metric,
                      each.value ? std::to_string(*each.value) : each.reason);
        }
    }
}

void gather(const Root& root, Facts& facts)
{
    if (const std::string by = ringside::host::gpuDirect(root.path("/sys"), root.path("/proc"));
        !by.empty()) {
        facts.set("machine.gpu_direct", by);
    }
    addReadings(root, facts);
    for (const std::string& device : root.entries("/sys/class/infiniband")) {
        const std::string folder = "/sys/class/infiniband/" + device + "/";
        if (const auto firmware = root.line(folder + "fw_ver")) {
            facts.set("rdma." + device + ".firmware", *firmware);
        }
        for (const std::string_view file : {"hca_type", "board_id"}) {
            if (const auto value = root.line(folder + std::string(file))) {
                facts.set("rdma." + device + "." + std::string(file), *value);
            }
        }
        std::error_code error;
        const auto place = std::filesystem::read_symlink(root.path(folder + "device"), error);
        if (!error) {
            facts.set("rdma." + device + ".pci", place.filename());
        }
        for (const std::string& port : root.entries(folder + "ports")) {
            for (const std::string_view file : kPortFiles) {
                if (const auto value = root.line(folder + "ports/" + port + "/" + std::string(file))) {
                    facts.set("rdma." + device + "/" + port + "." + std::string(file), *value);
                }
            }
            if (const auto gids = root.entries(folder + "ports/" + port + "/gids"); !gids.empty()) {
                facts.set("rdma." + device + "/" + port + ".gids", std::to_string(gids.size()));
            }
            if (const auto netdev = root.line(folder + "ports/" + port + "/gid_attrs/ndevs/0")) {
                facts.set("rdma." + device + "/" + port + ".netdev", *netdev);
            }
        }
    }
}

} // namespace

RINGSIDE_GATHERER(gather);

} // namespace ringside::doctor::gatherer_rdma_ports
