// SPDX-License-Identifier: Apache-2.0
// Stores the values of a dump, whether it was written as JSON or as a pickle. A value is an index into one
// arena. A pickle may refer to a value several times, even from inside itself, so no function here recurses.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::importers::pickle {

using ValueId = std::uint32_t; ///< Values::kNone (0) is no value

enum class Type : std::uint8_t { None, Boolean, Integer, Real, Text, List, Dictionary };

/// The values of a file. Values beyond kMost are not stored; their id is kNone.
class Values final {
public:
    static constexpr ValueId kNone = 0;
    /// The limit. A dump of 20000 entries has three million values.
    static constexpr std::size_t kMost = std::size_t{1} << 24U;

    Values() { add(Type::None, 0); }

    ValueId add(Type type, std::int64_t number);
    /// Adds a real number without its value: only the presence of a duration is used.
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
    /// Returns the elements of a list, or the alternating keys and values of a dictionary; otherwise nothing.
    [[nodiscard]] const std::vector<ValueId>& childrenOf(ValueId id) const;
    /// Returns the value of a key. kNone if it is not among the first 128 members.
    [[nodiscard]] ValueId find(ValueId dictionary, std::string_view key) const;

    /// Returns the value of an integer, or null.
    [[nodiscard]] std::optional<std::int64_t> integerOf(ValueId id) const;
    /// Returns the value of a text, or an empty text.
    [[nodiscard]] std::string_view textOf(ValueId id) const;
    [[nodiscard]] bool isTrue(ValueId id) const
    {
        return typeOf(id) == Type::Boolean && m_nodes[id].number != 0;
    }

private:
    struct Node {
        Type type = Type::None;
        std::int64_t number = 0; ///< value, or index into m_texts or m_children
    };
    [[nodiscard]] std::size_t index(ValueId id) const { return static_cast<std::size_t>(m_nodes[id].number); }

    std::vector<Node> m_nodes;
    std::vector<std::string> m_texts;
    std::vector<std::vector<ValueId>> m_children;
};

/// The contents of a file, as far as they could be read.
struct Document {
    Values values;
    ValueId root = Values::kNone;
    std::string problem;      ///< why it could not be read completely; empty if it could
    std::string hint;         ///< what the user can do about it
    std::uint64_t offset = 0; ///< position of the problem in the file
};

} // namespace ringside::importers::pickle
