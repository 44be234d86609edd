// SPDX-License-Identifier: Apache-2.0
// Writes comm_comp_overlap.csv: the share of communication that overlaps with computation; empty if there is
// no communication.
#include "report/hta/figures.h"
#include "report/hta/table.h"

namespace ringside::report::hta::hta_table_comm_comp_overlap {
namespace {

double overlapOf(const Frame& frame)
{
    const auto spansOf = [&](KernelType type) {
        return mergedKernels(frame, [&](const Event& event) { return frame.typeOf(event) == type; });
    };
    const std::vector<Span> communication = spansOf(KernelType::Communication);
    std::vector<Edge> edges;
    addEdges(edges, communication, 1);
    addEdges(edges, spansOf(KernelType::Computation), 2);
    double overlap = 0.0;
    int running = 0;
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
        running += edges[i].value;
        overlap += running == 3 ? edges[i + 1].time - edges[i].time : 0.0;
    }
    return overlap / lengthOf(communication); // 0 / 0 is NaN, as in HTA
}

void write(const std::vector<Frame>& frames, const std::filesystem::path& folder)
{
    CsvFile file(folder / "comm_comp_overlap.csv", {"", "rank", "comp_comm_overlap_pctg"});
    std::int64_t index = 0;
    for (const Frame& frame : frames) {
        file.whole(index++).whole(frame.rank).number(rounded(100 * overlapOf(frame), 2)).endRow();
    }
    file.close();
}

} // namespace

RINGSIDE_HTA_TABLE(comm_comp_overlap, write);

} // namespace ringside::report::hta::hta_table_comm_comp_overlap
