// SPDX-License-Identifier: Apache-2.0
// RDMA devices and their ports, as the kernel's InfiniBand class shows them.
#include "doctor/gatherer.h"

namespace {

using ringside::doctor::Facts;
using ringside::doctor::Root;

constexpr std::string_view kPortFiles[] = {"state", "phys_state", "rate", "link_layer"};

void gather(const Root& root, Facts& facts)
{
    for (const std::string& device : root.entries("/sys/class/infiniband")) {
        const std::string folder = "/sys/class/infiniband/" + device + "/";
        if (const auto firmware = root.line(folder + "fw_ver")) {
            facts.set("rdma." + device + ".firmware", *firmware);
        }
        for (const std::string& port : root.entries(folder + "ports")) {
            for (const std::string_view file : kPortFiles) {
                if (const auto value = root.line(folder + "ports/" + port + "/" + std::string(file))) {
                    facts.set("rdma." + device + "/" + port + "." + std::string(file), *value);
                }
            }
        }
    }
}

} // namespace

RINGSIDE_GATHERER(rdma_ports, gather);
