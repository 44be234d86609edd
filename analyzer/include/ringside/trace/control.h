// SPDX-License-Identifier: Apache-2.0
// What is said to a running job and what its processes answer: two small text files in the run directory,
// each replaced by a rename, so that a reader sees one whole or the other. No ports and no signals; works
// wherever the directory is shared. The file `control` is absent until somebody asks; a process answers in
// HOST-PID.status.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace ringside::trace {

inline constexpr const char* kControlFile = "control";
inline constexpr const char* kStatusExtension = ".status";

enum class ControlVerb : std::uint8_t {
    Ask,   ///< only an answer is wanted
    Level, ///< obey the order
    Dump,  ///< write down what the flight recorder holds
};

/// The level that holds from a step or a moment on; processes that have counted no step go by the moment.
/// Stays in the file beside later requests, because a process that starts later obeys the last one (at once).
struct ControlOrder {
    std::uint64_t number = 0;    ///< of the request that gave it
    std::string level;           ///< paused, light, standard, deep; profile: what the process's profile says
    std::uint64_t fromStep = 0;  ///< as steps are counted, from 1; 0: by time
    std::int64_t realtimeNs = 0; ///< CLOCK_REALTIME
};

struct ControlRequest {
    std::uint64_t number = 0; ///< another one than any before; a time, so that it needs no memory
    ControlVerb verb = ControlVerb::Ask;
    std::int64_t issuedRealtimeNs = 0;
    std::optional<ControlOrder> order;
};

struct ControlStatus {
    std::uint64_t number = 0;    ///< of the last request seen
    std::uint64_t steps = 0;     ///< begun so far
    std::int64_t stepNs = 0;     ///< what one took lately; 0: not known
    std::string level;           ///< recorded now
    std::uint64_t inForce = 0;   ///< number of the order that is obeyed
    std::uint64_t sinceStep = 0; ///< from which it is
    std::string dump;            ///< what became of a dump: a file name, or why there is none
};

/// Nothing when the file is not there, or not a whole one of these; of requests also those of other users.
/// Never waits. Texts come without control characters: they are shown on terminals.
std::optional<ControlRequest> readControl(const std::filesystem::path& file);
std::optional<ControlStatus> readStatus(const std::filesystem::path& file);
/// False, with errno, when it cannot be written.
bool writeControl(const std::filesystem::path& file, const ControlRequest& request);
bool writeStatus(const std::filesystem::path& file, const ControlStatus& status);

} // namespace ringside::trace
