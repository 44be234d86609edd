// SPDX-License-Identifier: Apache-2.0
#include "export/exporter.h"

#include <numeric>

namespace ringside::exporting {

std::vector<std::size_t> ranksOf(const model::Model& model, const Slice& slice)
{
    if (!slice.ranks.empty()) {
        return slice.ranks;
    }
    std::vector<std::size_t> all(model.ranks.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

} // namespace ringside::exporting
