// SPDX-License-Identifier: Apache-2.0
// Messages of the collector on stderr. There are none unless something is not recorded or RINGSIDE_LOG
// is set. No allocation and no stdio: the process may be in any state.
#pragma once

namespace ringside::collector {

enum class Talk {
    Always,  ///< recording does not happen or stops
    IfAsked, ///< RINGSIDE_LOG is set
};

/// Prints one line with prefix and process id, formatted as by printf and cut at 500 bytes. Prints
/// nothing if descriptor 2 refers to another file than when the library was loaded: it may be a data
/// file of the program.
void say(Talk talk, const char* format, ...) __attribute__((format(printf, 2, 3)));

/// Restores errno, so that the collector's code does not change the caller's.
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
