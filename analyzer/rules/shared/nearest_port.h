// SPDX-License-Identifier: Apache-2.0
// Finds the RDMA port that is nearest to a rank's GPU on PCIe. It is not known which port a rank used, so
// that the nearest one is assumed.
#pragma once
#include "metrics/links.h"
#include "metrics/pci_distance.h"

#include <optional>
#include <vector>

namespace ringside::rules {

struct Adapter {
    const metrics::Port* port = nullptr;
    metrics::PciDistance distance = metrics::PciDistance::System;
};

/// The nearest adapter of a GPU's host, and the nearest one that can have carried its data.
struct Nearest {
    std::optional<Adapter> any;
    std::optional<Adapter> used;
};

/// Returns nothing where the trace does not say where the GPU or the host's ports sit.
[[nodiscard]] Nearest nearestOf(const model::Model& model, const std::vector<metrics::Port>& ports,
                                const model::Rank& rank);

} // namespace ringside::rules
