// SPDX-License-Identifier: Apache-2.0
#include "words/text.h"

#include <iterator>

namespace ringside::words {

Text::Text() = default;
Text::~Text() = default;
Text::Text(const Text& other) = default;
Text::Text(Text&& other) noexcept = default;
Text& Text::operator=(const Text& other) = default;
Text& Text::operator=(Text&& other) noexcept = default;

Text::Text(const Template& words) : m_parts{Part{&words, {}}} {}

Text::Text(const std::string& verbatim) : Text(std::string_view(verbatim)) {}

Text::Text(const char* verbatim) : Text(std::string_view(verbatim)) {}

Text::Text(std::string_view verbatim)
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

bool Text::empty() const
{
    return m_parts.empty();
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
