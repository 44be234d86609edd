// SPDX-License-Identifier: Apache-2.0
// Words that traces store as text and that the program compares. A literal that is not in its list does not
// compile.
#pragma once
#include <compare>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace ringside::trace {

/// Not constexpr and never defined: a call while compiling is the compiler's error, also where exceptions are
/// off.
void theWordIsNotInTheListOfThisVocabulary();

/// Entry of a list of words that need no further fields.
struct WordEntry {
    std::string_view text;
    std::string_view description;
};

/// A word of `kList`, an array whose entries contain the word in member `kText`. The program creates words
/// from literals only, and the compiler looks them up. A file may contain words of a newer version or of
/// another tool; stored() keeps them unchanged.
template <const auto& kList, auto kText = &WordEntry::text>
class Word {
public:
    constexpr Word() = default; ///< the empty word, which is in no list
    // implicit, so that plain literals can be assigned and compared
    consteval Word(const char* literal) : m_text(listed(literal)) {}
    [[nodiscard]] static Word stored(std::string text) // NOLINT(performance-unnecessary-value-param): moved
    {
        Word word;
        word.m_text = std::move(text);
        return word;
    }

    /// `entry` must be an element of `kList`.
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
        theWordIsNotInTheListOfThisVocabulary();
        return {};
    }

    std::variant<std::string_view, std::string> m_text; ///< a view into the list, or a stored text
};

template <class T>
inline constexpr bool kIsWord = false;
template <const auto& kList, auto kText>
inline constexpr bool kIsWord<Word<kList, kText>> = true;

} // namespace ringside::trace
