// SPDX-License-Identifier: Apache-2.0
// The series of samples of which a process tells the latest value while it runs: what says whether GPU, link,
// host and process are well.
#pragma once
#include "trace/vocabulary/series.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ringside::collector::live {

inline constexpr std::array kLiveSeries{
    trace::SeriesName::GpuUtilization,
    trace::SeriesName::MemoryUsed,
    trace::SeriesName::SmClock,
    trace::SeriesName::SmClockMax,
    trace::SeriesName::ClockEventReasons,
    trace::SeriesName::Power,
    trace::SeriesName::Temperature,
    trace::SeriesName::EccUncorrectedErrors,
    trace::SeriesName::PowerViolation,
    trace::SeriesName::ThermalViolation,
    trace::SeriesName::PcieReplays,
    trace::SeriesName::NvlinkLinksDown,
    trace::SeriesName::NvlinkCrcDataErrors,
    trace::SeriesName::NvlinkReplays,
    trace::SeriesName::NvlinkRecoveries,
    trace::SeriesName::Nvlink5FailedRecoveries,
    trace::SeriesName::Xid,
    trace::SeriesName::ResidentMemory,
    trace::SeriesName::RecordingCpu,
    trace::SeriesName::RecordingDelay,
    trace::SeriesName::FileRead,
    trace::SeriesName::FileWritten,
    trace::SeriesName::StorageRead,
    trace::SeriesName::StorageWritten,
    trace::SeriesName::StorageWait,
    trace::SeriesName::Throttled,
    trace::SeriesName::MemoryAvailable,
    trace::SeriesName::NetworkRxErrors,
    trace::SeriesName::NetworkTxErrors,
    trace::SeriesName::NetworkRxBytes,
    trace::SeriesName::NetworkTxBytes,
    trace::SeriesName::TcpRetransmits,
    trace::SeriesName::RdmaState,
    trace::SeriesName::RdmaRate,
    trace::SeriesName::RdmaTxBytes,
    trace::SeriesName::RdmaRxBytes,
    trace::SeriesName::RdmaLinkDowned,
    trace::SeriesName::RdmaSymbolErrors,
    trace::SeriesName::RdmaLinkErrorRecoveries,
    trace::SeriesName::RdmaRxErrors,
    trace::SeriesName::RdmaTxDiscards,
    trace::SeriesName::RdmaLinkIntegrityErrors,
    trace::SeriesName::RdmaRetransmissions,
    trace::SeriesName::RdmaAckTimeouts,
    trace::SeriesName::RdmaRetriesExceeded,
    trace::SeriesName::RdmaRxCorrupt,
};

[[nodiscard]] inline bool isLive(std::string_view source, std::string_view metric)
{
    return std::any_of(kLiveSeries.begin(), kLiveSeries.end(), [&](trace::SeriesName name) {
        return trace::entryOf(name).source == source && trace::entryOf(name).metric == metric;
    });
}

} // namespace ringside::collector::live
