// SPDX-License-Identifier: Apache-2.0
#include "import/pickle/values.h"

#include <algorithm>
#include <utility>

namespace ringside::importers::pickle {

ValueId Values::add(Type type, std::int64_t number)
{
    if (full()) {
        return kNone;
    }
    m_nodes.push_back({type, number});
    return static_cast<ValueId>(m_nodes.size() - 1);
}

ValueId Values::addReal(double)
{
    return add(Type::Real, 0);
}

ValueId Values::addText(std::string text)
{
    const ValueId id = add(Type::Text, static_cast<std::int64_t>(m_texts.size()));
    if (id != kNone) {
        m_texts.push_back(std::move(text));
    }
    return id;
}

ValueId Values::addContainer(Type type)
{
    const ValueId id = add(type, static_cast<std::int64_t>(m_children.size()));
    if (id != kNone) {
        m_children.emplace_back();
    }
    return id;
}

const std::vector<ValueId>& Values::childrenOf(ValueId id) const
{
    static const std::vector<ValueId> nothing;
    return isContainer(id) ? m_children[index(id)] : nothing;
}

ValueId Values::find(ValueId dictionary, std::string_view key) const
{
    constexpr std::size_t kMostMembers = 128; // an entry has about 25
    if (typeOf(dictionary) != Type::Dictionary) {
        return kNone;
    }
    const std::vector<ValueId>& children = childrenOf(dictionary);
    const std::size_t end = std::min(children.size(), 2 * kMostMembers);
    for (std::size_t i = 0; i + 1 < end; i += 2) {
        if (typeOf(children[i]) == Type::Text && textOf(children[i]) == key) {
            return children[i + 1];
        }
    }
    return kNone;
}

std::optional<std::int64_t> Values::integerOf(ValueId id) const
{
    return typeOf(id) == Type::Integer ? std::optional(m_nodes[id].number) : std::nullopt;
}

std::string_view Values::textOf(ValueId id) const
{
    return typeOf(id) == Type::Text ? std::string_view(m_texts[index(id)]) : std::string_view();
}

} // namespace ringside::importers::pickle
