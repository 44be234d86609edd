// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/late_cause.h"

#include "words/late_cause.h"

namespace ringside::rules {

CauseText textOf(metrics::LateCause cause)
{
    using metrics::LateCause;
    switch (cause) {
    case LateCause::Compute:
        return {words::late_cause::compute, words::late_cause::compute_remedy};
    case LateCause::ThrottledClock:
        return {words::late_cause::throttled, words::late_cause::throttled_remedy};
    case LateCause::DataLoading:
        return {words::late_cause::data_loading, words::late_cause::data_loading_remedy};
    case LateCause::Synchronization:
        return {words::late_cause::synchronization, words::late_cause::synchronization_remedy};
    case LateCause::Host:
        return {words::late_cause::host, words::late_cause::host_remedy};
    case LateCause::CpuContention:
        return {words::late_cause::contention, words::late_cause::contention_remedy};
    case LateCause::Copies:
        break;
    }
    return {words::late_cause::copies, words::late_cause::copies_remedy};
}

} // namespace ringside::rules
