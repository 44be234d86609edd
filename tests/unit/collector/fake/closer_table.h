// SPDX-License-Identifier: Apache-2.0
// The descriptors that recorded_closer uses, and ways to close all others.
#pragma once
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <set>
#include <string>

namespace ringside::test {

inline std::atomic<int> g_wrong{0}; ///< what was not as the program left it
inline void expect(bool right)
{
    g_wrong += right ? 0 : 1;
}

/// Its own threads keep clear of each other: all of this under a mutex.
class CloserTable final {
public:
    int open(const std::string& path)
    {
        const int number = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
        expect(number >= 0);
        m_used.insert(number);
        return number;
    }
    void openPipe(std::array<int, 2>& ends)
    {
        expect(::pipe(ends.data()) == 0);
        m_used.insert(ends.begin(), ends.end());
    }
    void close(int number)
    {
        m_used.erase(number);
        expect(::close(number) == 0);
    }
    void closeOther(int number)
    {
        if (!m_used.contains(number)) {
            ::close(number);
        }
    }
    void replaceOther(int number, int with)
    {
        if (!m_used.contains(number) && ::dup2(with, number) == number) {
            ::close(number);
        }
    }
    /// All that it does not use, range by range.
    void closeAllOthers()
    {
        unsigned first = 0;
        for (const int used : m_used) {
            closeRange(first, static_cast<unsigned>(used));
            first = static_cast<unsigned>(used) + 1;
        }
        syscall(SYS_close_range, first, ~0U, 0);
    }

private:
    static void closeRange(unsigned first, unsigned end)
    {
        if (first < end) {
            syscall(SYS_close_range, first, end - 1, 0);
        }
    }
    std::set<int> m_used{STDOUT_FILENO, STDERR_FILENO};
};

} // namespace ringside::test
