// SPDX-License-Identifier: Apache-2.0
#include "record/thread_state.h"

namespace ringside::collector {

constinit thread_local ThreadLocal t_thread
    __attribute__((tls_model("initial-exec"))) = {nullptr, 0, false, nullptr, nullptr};
std::atomic<std::uint64_t> g_leftCalls{0};

} // namespace ringside::collector
