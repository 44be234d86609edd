// SPDX-License-Identifier: Apache-2.0
#include "metrics/break_down.h"

namespace ringside::metrics {

Breakdown breakDown(const Interval& window, const Coverage& coverage)
{
    const unsigned c = bit(kCompute);
    const unsigned m = bit(kCommunication);
    const unsigned k = bit(kCopy);
    const unsigned t = bit(kTransfer);
    Breakdown result;
    result.stepNs = window.length();
    result.computeNs = coverage.time(c);
    result.communicationNs = coverage.time(m);
    result.copyNs = coverage.time(k);
    result.overlapNs = coverage.together(c | m);
    result.exposedCommunicationNs = coverage.time(m, c);
    result.exposedCopyNs = coverage.time(k, c | m);
    result.idleNs = coverage.ns[0];
    result.waitNs = coverage.time(m, t);
    result.exposedWaitNs = coverage.time(m, t | c);
    result.transferNs = coverage.time(t);
    result.usefulNs = coverage.time(c | k | t);
    return result;
}

} // namespace ringside::metrics
