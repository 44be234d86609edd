// SPDX-License-Identifier: Apache-2.0
// What the collector says on stderr: nothing, unless it stops recording or RINGSIDE_LOG asks. No allocation,
// no stdio: the process may be in any state.
#pragma once

namespace ringside::collector {

enum class Talk {
    Always,  ///< recording does not happen or stops
    IfAsked, ///< RINGSIDE_LOG is set
};

/// One line with prefix and process id, printf-like, cut at 500 bytes. Not where number 2 has become another
/// file since the library was loaded: it may be one of the program's data.
void say(Talk talk, const char* format, ...) __attribute__((format(printf, 2, 3)));

/// Our own work must not be seen in the caller's errno.
class ErrnoKeeper final {
public:
    ErrnoKeeper();
    ~ErrnoKeeper();
    ErrnoKeeper(const ErrnoKeeper&) = delete;
    ErrnoKeeper& operator=(const ErrnoKeeper&) = delete;

private:
    int m_errno;
};

} // namespace ringside::collector
