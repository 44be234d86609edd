// SPDX-License-Identifier: Apache-2.0
// Requests to a running job and the answers of its processes: two small text files in the run directory. Each
// is replaced by a rename, so that a reader sees one version or the other as a whole. This needs no ports and
// no signals, and works wherever the directory is shared. The file `control` exists only after the first
// request. A process answers in HOST-PID.status.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace ringside::trace {

inline constexpr const char* kControlFile = "control";
inline constexpr const char* kStatusExtension = ".status";

enum class ControlVerb : std::uint8_t {
    Ask,   ///< requests an answer only
    Level, ///< requests that the order is followed
    Dump,  ///< requests that the flight recorder's records are written
};

/// The level that applies from a step or a moment on. Processes that have counted no step use the moment. The
/// order stays in the file beside later requests, because a process that starts later follows the last order
/// at once.
struct ControlOrder {
    std::uint64_t number = 0; ///< number of the request that contained it
    /// Paused, light, standard, deep, or profile for the level of the process's profile
    std::string level;
    std::uint64_t fromStep = 0;  ///< counted from 1; 0 if the moment applies
    std::int64_t realtimeNs = 0; ///< CLOCK_REALTIME
};

struct ControlRequest {
    /// Differs from all earlier numbers; taken from the clock, so that no state is needed
    std::uint64_t number = 0;
    ControlVerb verb = ControlVerb::Ask;
    std::int64_t issuedRealtimeNs = 0;
    std::optional<ControlOrder> order;
};

struct ControlStatus {
    std::uint64_t number = 0;    ///< number of the last request that was read
    std::uint64_t steps = 0;     ///< steps begun so far
    std::int64_t stepNs = 0;     ///< recent length of a step; 0 if not known
    std::string level;           ///< level in use
    std::uint64_t inForce = 0;   ///< number of the order in use
    std::uint64_t sinceStep = 0; ///< step from which it applies
    std::string dump;            ///< result of a dump: a file name, or the reason why there is none
};

/// Returns null if the file does not exist or is incomplete; requests are also ignored if the file belongs to
/// another user. Never blocks. Control characters are removed from texts, because the texts are shown on
/// terminals.
std::optional<ControlRequest> readControl(const std::filesystem::path& file);
std::optional<ControlStatus> readStatus(const std::filesystem::path& file);
/// Returns false, with errno, if the file cannot be written.
bool writeControl(const std::filesystem::path& file, const ControlRequest& request);
bool writeStatus(const std::filesystem::path& file, const ControlStatus& status);

} // namespace ringside::trace
