// SPDX-License-Identifier: Apache-2.0
// A descriptor that is looked at before it is used: a program that closes all descriptors may have got its
// number again, for something of its own.
#pragma once
#include <string>

namespace ringside::ports {

class WatchedDescriptor final {
public:
    explicit WatchedDescriptor(int number);
    /// Whether the number still stands for what it did. Negative ones are nobody's, and do no harm.
    [[nodiscard]] bool isOurs() const;
    [[nodiscard]] int number() const { return m_number; }

private:
    int m_number;
    std::string m_what; ///< "/dev/infiniband/uverbs0", "anon_inode:[infinibandevent]", "socket:[4711]"
};

} // namespace ringside::ports
