// SPDX-License-Identifier: Apache-2.0
// Judges what was measured over RDMA. A rail is compared with all rails of its rate, in all directions: its
// siblings. Slower ports beside them, for storage, are judged among themselves.
#pragma once
#include "probe/matrix.h"

#include <map>

namespace ringside::probe {

class RdmaJudge final {
public:
    /// `matrix` must exist as long as this object.
    explicit RdmaJudge(const Matrix& matrix);

    /// Medians of all measured rails; null if none was measured.
    [[nodiscard]] std::optional<double> medianGbps() const;
    [[nodiscard]] std::optional<double> medianWriteUs() const;
    [[nodiscard]] std::vector<Outlier> outliersOf(std::size_t sender, std::size_t receiver) const;
    /// Returns the ports that are an end of more than half of their host's measured directions that are
    /// outliers, if most of the host's other ports are not. Needs three hosts: of two, either end may be it.
    [[nodiscard]] std::vector<std::string> suspects(const std::vector<Outlier>& outliers) const;

private:
    struct Peers {
        std::vector<double> gbps;
        std::vector<double> writeUs;
    };
    [[nodiscard]] const Peers& peersOf(std::size_t sender, std::size_t receiver, const RailPair& pair) const;
    [[nodiscard]] std::optional<Outlier> outlierOf(std::size_t sender, std::size_t receiver,
                                                   std::size_t rail) const;
    [[nodiscard]] std::optional<std::pair<Cause, std::string>>
    causeOf(std::size_t sender, std::size_t receiver, const RdmaDirection::Rail& rail) const;
    [[nodiscard]] const RdmaMeasurement* wayBack(std::size_t sender, std::size_t receiver,
                                                 const RailPair& pair) const;

    const Matrix& m_matrix;
    std::map<double, Peers> m_peers; ///< by the rate that can be expected; 0: not known
};

} // namespace ringside::probe
