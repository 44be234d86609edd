// SPDX-License-Identifier: Apache-2.0
// Ctrl-C, SIGTERM and a closed terminal end a command as they end any program, but what it was making, and
// its copies in the temporary folder, go first.
#pragma once
#include <thread>

namespace ringside::cli {

/// Watches for those signals while it lives. Programs that are started meanwhile do not inherit it.
class Interruption final {
public:
    Interruption();
    ~Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

private:
    std::thread m_thread;
};

} // namespace ringside::cli
