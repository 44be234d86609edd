// SPDX-License-Identifier: Apache-2.0
#include "report/hta/joined.h"

#include <ringside/error.h>

#include <fmt/format.h>

namespace ringside::report::hta {

JoinBudget::JoinBudget(const Frame& frame) : m_rank(frame.rank)
{
    constexpr std::size_t kRowsAnEvent = 8; // a call launches one or two kernels, a graph hundreds
    constexpr std::size_t kAlways = 1'000'000;
    m_left = kRowsAnEvent * frame.events.size() + kAlways;
}

void JoinBudget::take(std::size_t rows)
{
    if (rows > m_left) {
        throw Error(ErrorCode::Unusable,
                    fmt::format("too many events of rank {} share one correlation for HTA's tables", m_rank),
                    "The other formats do not join them: use one of those.");
    }
    m_left -= rows;
}

} // namespace ringside::report::hta
