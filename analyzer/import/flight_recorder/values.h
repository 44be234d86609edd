// SPDX-License-Identifier: Apache-2.0
// The values of a dump, whether it was written as JSON or as a pickle. Values are numbers in one arena: a
// pickle may name one several times, even inside itself, so nothing here ever walks down without an end.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::importers::flight_recorder {

using ValueId = std::uint32_t; ///< 0 is none

enum class Type : std::uint8_t { None, Boolean, Integer, Real, Text, List, Dictionary };

/// Whatever could not be kept, because there is more than a dump ever holds, is Values::kNone.
class Values final {
public:
    static constexpr ValueId kNone = 0;
    /// A recorder of 20000 entries makes three millions.
    static constexpr std::size_t kMost = std::size_t{1} << 24U;

    Values() { add(Type::None, 0); }

    ValueId add(Type type, std::int64_t number);
    ValueId addReal(double number);
    ValueId addText(std::string text);
    ValueId addContainer(Type type);
    void append(ValueId container, ValueId child) { m_children[index(container)].push_back(child); }
    [[nodiscard]] bool full() const { return m_nodes.size() >= kMost; }

    [[nodiscard]] Type typeOf(ValueId id) const { return m_nodes[id].type; }
    [[nodiscard]] bool isContainer(ValueId id) const
    {
        return typeOf(id) == Type::List || typeOf(id) == Type::Dictionary;
    }
    /// Of a list its elements, of a dictionary keys and values by turns; of anything else nothing.
    [[nodiscard]] const std::vector<ValueId>& childrenOf(ValueId id) const;
    /// The value of a key; kNone where there is none, or the key comes behind more than anything has.
    [[nodiscard]] ValueId find(ValueId dictionary, std::string_view key) const;

    [[nodiscard]] std::optional<std::int64_t> integerOf(ValueId id) const;
    [[nodiscard]] std::string_view textOf(ValueId id) const;
    [[nodiscard]] bool isTrue(ValueId id) const
    {
        return typeOf(id) == Type::Boolean && m_nodes[id].number != 0;
    }

private:
    struct Node {
        Type type = Type::None;
        std::int64_t number = 0; ///< or place among the texts or children
    };
    [[nodiscard]] std::size_t index(ValueId id) const { return static_cast<std::size_t>(m_nodes[id].number); }

    std::vector<Node> m_nodes;
    std::vector<std::string> m_texts;
    std::vector<std::vector<ValueId>> m_children;
};

/// What a file held, as far as it could be read.
struct Document {
    Values values;
    ValueId root = Values::kNone;
    std::string problem;      ///< why it ends before its end; empty: it does not
    std::string hint;         ///< what to do about it
    std::uint64_t offset = 0; ///< of the problem
};

} // namespace ringside::importers::flight_recorder
