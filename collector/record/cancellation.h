// SPDX-License-Identifier: Apache-2.0
// A program may cancel its thread while our own work has it. The C library then unwinds with the program's
// unwinder, and our frames that have something to do on the way abort the process (CMakeLists.txt says why).
// So such work holds cancellation off; a request that comes meanwhile is obeyed at the program's next
// cancellation point.
#pragma once
#include <pthread.h>

namespace ringside::collector {

/// The calling thread cannot be cancelled while this lives. For what may open, write or wait; the hot path
/// has no such thing.
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
