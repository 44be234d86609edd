// SPDX-License-Identifier: Apache-2.0
#include "document/document.h"

#include <algorithm>
#include <numeric>

namespace ringside::document {

double BarChart::Bar::sumNs() const
{
    return std::accumulate(ns.begin(), ns.end(), 0.0);
}

const Section* Document::find(SectionId id) const
{
    const auto found = std::ranges::find(sections, id, &Section::id);
    return found == sections.end() ? nullptr : &*found;
}

std::vector<const Finding*> Document::findings() const
{
    std::vector<const Finding*> all;
    if (const Section* const section = find(SectionId::Findings)) {
        for (const Block& block : section->blocks) {
            if (const auto* const finding = std::get_if<Finding>(&block)) {
                all.push_back(finding);
            }
        }
    }
    return all;
}

} // namespace ringside::document
