// SPDX-License-Identifier: Apache-2.0
// Ctrl-C, SIGTERM and a closed terminal end a command as they end any program. Unfinished output files and
// temporary copies are removed first.
#pragma once
#include <thread>

namespace ringside::cli {

/// Handles these signals during its lifetime. Programs that are started meanwhile do not inherit the
/// handlers.
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
