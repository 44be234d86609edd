// SPDX-License-Identifier: Apache-2.0
#include "query/examples.h"

#include <array>

namespace ringside::query {
namespace {

constexpr std::array kExamples{
    Example{
        "Kernels by total time",
        R"(SELECT demangled(text) AS kernel, count(*) AS launches, sum(end_ns - start_ns) / 1e6 AS total_ms,
       max(end_ns - start_ns) / 1e3 AS longest_us
  FROM kernel JOIN string AS s ON s.process_id = kernel.process_id AND s.id = name_id
 GROUP BY text ORDER BY total_ms DESC;)"},
    Example{
        "Kernels by launch configuration",
        R"(SELECT kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, registers_per_thread, shared_bytes,
       round(theoretical_occupancy_percent) AS occupancy_percent, count(*) AS launches,
       sum(end_ns - start_ns) / 1e6 AS total_ms
  FROM kernel_detail GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 ORDER BY total_ms DESC LIMIT 20;)"},
    Example{"Collective calls by kind and size",
            R"(SELECT text AS call, bytes, count(*) AS calls, sum(end_ns - start_ns) / 1e6 AS host_ms
  FROM collective_call AS c JOIN string AS s ON s.process_id = c.process_id AND s.id = api_id
 GROUP BY text, bytes ORDER BY calls DESC;)"},
    Example{"Steps of every rank",
            R"(SELECT rank, number AS step, (end_ns - start_ns) / 1e6 AS ms
  FROM step_mark JOIN rank USING (process_id) ORDER BY step, rank;)"},
    Example{"Sampled series",
            R"(SELECT source, entity, metric, count(value) AS samples, min(value) AS least, max(value) AS most
  FROM series LEFT JOIN sample ON sample.process_id = series.process_id AND series_id = series.id
 GROUP BY source, entity, metric;)"},
    Example{
        "Settings of every rank",
        R"(SELECT rank, setting.source, name, value FROM setting JOIN rank USING (process_id) ORDER BY name, rank;)"},
    Example{
        "Active tiers, and why others were not",
        R"(SELECT rank, tier, active, reason FROM tier JOIN rank USING (process_id) ORDER BY tier, rank;)"},
};

} // namespace

std::span<const Example> examples()
{
    return kExamples;
}

} // namespace ringside::query
