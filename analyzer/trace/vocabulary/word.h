// SPDX-License-Identifier: Apache-2.0
// Words that a trace stores as text and that the program compares. A literal that is in no list does not
// compile.
#pragma once
#include <compare>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace ringside::trace {

/// A row of a list of words, for lists that need no more.
struct WordEntry {
    std::string_view text;
    std::string_view description;
};

/// A word of `kList`, an array whose entries have the word in member `kText`. The program makes words from
/// literals only, and the compiler looks them up. A file may hold words of a newer version or another tool:
/// stored() keeps them as they are.
template <const auto& kList, auto kText = &WordEntry::text>
class Word {
public:
    constexpr Word() = default; ///< the empty word, which is in no list
    // Implicit, so that rows are written and compared with plain literals.
    consteval Word(const char* literal) : m_text(listed(literal)) {}
    [[nodiscard]] static Word stored(std::string text)
    {
        Word word;
        word.m_text = std::move(text);
        return word;
    }

    /// `entry`: of `kList`.
    template <class Entry>
    [[nodiscard]] static Word of(const Entry& entry)
    {
        Word word;
        word.m_text = entry.*kText;
        return word;
    }

    [[nodiscard]] std::string_view text() const
    {
        return std::visit([](const auto& held) { return std::string_view(held); }, m_text);
    }
    friend bool operator==(const Word& a, const Word& b) { return a.text() == b.text(); }
    friend auto operator<=>(const Word& a, const Word& b) { return a.text() <=> b.text(); }

private:
    static consteval std::string_view listed(std::string_view literal)
    {
        for (const auto& entry : kList) {
            if (entry.*kText == literal) {
                return entry.*kText;
            }
        }
        throw "the list of this vocabulary does not have the word";
    }

    std::variant<std::string_view, std::string> m_text; ///< a view: of the list
};

template <class T>
inline constexpr bool kIsWord = false;
template <const auto& kList, auto kText>
inline constexpr bool kIsWord<Word<kList, kText>> = true;

} // namespace ringside::trace
