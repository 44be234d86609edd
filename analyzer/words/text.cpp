// SPDX-License-Identifier: Apache-2.0
#include "words/text.h"

#include <iterator>

namespace ringside::words {

Text::Text(const Template& words) : m_parts{Part{&words, {}}} {}

Text::Text(std::string verbatim)
{
    if (!verbatim.empty()) {
        m_parts.push_back(Part{nullptr, {Slot("", verbatim)}});
    }
}

Text::Text(std::vector<Part> parts) : m_parts(std::move(parts)) {}

Text& Text::operator+=(Text other)
{
    m_parts.insert(m_parts.end(), std::make_move_iterator(other.m_parts.begin()),
                   std::make_move_iterator(other.m_parts.end()));
    return *this;
}

bool Text::operator==(const Text& other) const
{
    return m_parts == other.m_parts;
}

Text say(const Template& words, std::vector<Slot> filled)
{
    return Text(std::vector{Part{&words, std::move(filled)}});
}

} // namespace ringside::words
