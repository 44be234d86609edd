// SPDX-License-Identifier: Apache-2.0
// A program may cancel a thread while it runs the collector's code. The C library then unwinds the stack
// with the program's unwinder, and frames of the collector that have destructors abort the process
// (CMakeLists.txt says why). So such code disables cancellation. A request that arrives meanwhile takes
// effect at the program's next cancellation point.
#pragma once
#include <pthread.h>

namespace ringside::collector {

/// Disables cancellation of the calling thread while the object exists. Needed around code that may
/// open, write or wait. The hot path does none of these.
class CancellationHeldOff final {
public:
    CancellationHeldOff() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &m_before); }
    ~CancellationHeldOff() { pthread_setcancelstate(m_before, nullptr); }
    CancellationHeldOff(const CancellationHeldOff&) = delete;
    CancellationHeldOff& operator=(const CancellationHeldOff&) = delete;

private:
    int m_before = PTHREAD_CANCEL_ENABLE;
};

} // namespace ringside::collector
