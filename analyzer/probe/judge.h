// SPDX-License-Identifier: Apache-2.0
// Which directions between hosts differ from the others, and what that says.
#pragma once
#include "probe/matrix.h"

#include <optional>
#include <string>
#include <vector>

namespace ringside::probe {

struct Verdict {
    double medianGbps = 0;
    double medianRoundTripUs = 0;
    std::optional<double> medianRdmaGbps; ///< null: RDMA was not measured
    std::optional<double> medianWriteUs;
    std::vector<Outlier> outliers;
    std::vector<std::size_t> hosts; ///< hosts of which most directions are outliers: check these first
    /// ports such as "h2 mlx5_3:1" that are an end of most outliers of their host: check these first
    std::vector<std::string> rails;
};

/// Compares each direction with the median of all, and each rail with those of its rate; where there are not
/// three to compare, with the other direction and with limits that hold within a data centre. Naming a host
/// needs at least three hosts.
[[nodiscard]] Verdict judge(const Matrix& matrix);

[[nodiscard]] std::string textOf(const Matrix& matrix, const Verdict& verdict, std::size_t width);
/// Returns "ringside-probe/1".
[[nodiscard]] std::string jsonOf(const Matrix& matrix, const Verdict& verdict);

} // namespace ringside::probe
