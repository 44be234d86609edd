// SPDX-License-Identifier: Apache-2.0
#include "host/rdma/driver.h"

#include "host/sysfs_text.h"

#include <array>
#include <string_view>

namespace ringside::host {
namespace {

struct Mark {
    std::string_view counter; ///< in hw_counters/
    std::string_view driver;
};
// Sources: the drivers' tables of names.
constexpr std::array<Mark, 7> kMarks{{{"rdma_read_resp_bytes", "efa"},
                                      {"rx_drops", "efa"},
                                      {"requester_oos_nak", "mana"},
                                      {"tx_bps_limit_drop_cnt", "erdma"},
                                      {"seq_err_naks_rcvd", "bnxt_re"},
                                      {"completer_retry_err", "rdma_rxe"},
                                      {"sq_num_oos", "mlx4_core"}}};

std::string fromUevent(const std::string& deviceFolder)
{
    constexpr std::string_view kKey = "DRIVER=";
    const std::string text = readText(deviceFolder + "/device/uevent").text; // its first line
    return text.starts_with(kKey) ? text.substr(kKey.size()) : std::string();
}

} // namespace

std::string driverOf(const std::string& deviceFolder, const std::string& portFolder)
{
    if (std::string linked = linkName(deviceFolder + "/device/driver"); !linked.empty()) {
        return linked;
    }
    if (std::string told = fromUevent(deviceFolder); !told.empty()) {
        return told;
    }
    if (readText(deviceFolder + "/device/vendor").text == "0x1d0f") { // Amazon's
        return "efa";
    }
    for (const Mark& mark : kMarks) {
        if (readText(portFolder + "/hw_counters/" + std::string(mark.counter)).error == 0) {
            return std::string(mark.driver);
        }
    }
    return {};
}

} // namespace ringside::host
