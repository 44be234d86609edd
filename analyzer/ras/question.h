// SPDX-License-Identifier: Apache-2.0
// Asks NCCL's RAS when a job seems to hang, on a thread of its own, and stores the answer in the run
// directory for `ringside hang`: HOST-N.json or HOST-N.txt, or HOST-N.not_asked with the reason.
#pragma once
#include "ras/place.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>

namespace ringside::ras {

/// Folder of the answers in a run directory.
inline constexpr const char* kRasFolder = "ras";
inline constexpr const char* kRasNotAsked = ".not_asked";

class RasQuestion final {
public:
    explicit RasQuestion(std::filesystem::path run);
    ~RasQuestion(); ///< ends a conversation
    RasQuestion(const RasQuestion&) = delete;
    RasQuestion& operator=(const RasQuestion&) = delete;

    /// Begins to ask, once for each suspicion: a few minutes later, another one counts. Never throws.
    void ask();
    /// Says what became of it. Call it several times a second; never waits.
    void look();

private:
    void converse(const RasPlace& where) noexcept;
    void store(const std::string& ending, const std::string& text);

    std::filesystem::path m_run;
    std::string m_host;
    int m_stop;
    std::thread m_thread;
    std::atomic<bool> m_done{false};
    std::string m_message; ///< of the thread; read after m_done
    std::int64_t m_nextNs = 0;
    int m_number = 0;
};

} // namespace ringside::ras
