// SPDX-License-Identifier: Apache-2.0
// What a report is going to say, before it is a sentence: templates with the values for their slots. Rules
// and verdicts make texts; the document renders each of them once (render.h). No code reads a rendered
// sentence.
#pragma once
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ringside::words {

/// A sentence, or a part of one, with named slots. docs/architecture.md ("From facts to words") says where
/// the marks in braces are described.
struct Template {
    std::string_view id; ///< "late_rank.title", the same in all versions of a program
    std::string_view words;
    constexpr operator std::string_view() const { return words; } ///< for texts without slots
};

struct Part;

/// Templates with their values, which are rendered one behind the other.
class Text final {
public:
    Text();
    ~Text();
    Text(const Text& other);
    Text(Text&& other) noexcept;
    Text& operator=(const Text& other);
    Text& operator=(Text&& other) noexcept;
    /// A text without slots.
    Text(const Template& words);
    /// A finished sentence, of another tool or of a rule that has no templates.
    Text(const std::string& verbatim);
    Text(const char* verbatim);
    Text(std::string_view verbatim);
    explicit Text(std::vector<Part> parts);

    /// Adds a text behind this one.
    Text& operator+=(Text other);
    [[nodiscard]] friend Text operator+(Text first, Text second)
    {
        first += std::move(second);
        return first;
    }
    [[nodiscard]] bool empty() const;
    [[nodiscard]] const std::vector<Part>& parts() const { return m_parts; }
    [[nodiscard]] bool operator==(const Text& other) const;

private:
    std::vector<Part> m_parts;
};

/// A number keeps its type, and gets its unit and its digits from the mark in the template. A name may come
/// from a trace, and may hold any bytes.
using Value = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>,
                           std::vector<std::string>, Text>;

/// The value for the marks of that name.
struct Slot {
    template <std::integral Number>
    Slot(std::string_view slot, Number number) : name(slot), value(static_cast<std::int64_t>(number))
    {}
    Slot(std::string_view slot, double number) : name(slot), value(number) {}
    Slot(std::string_view slot, std::string_view text) : name(slot), value(std::string(text)) {}
    Slot(std::string_view slot, const char* text) : Slot(slot, std::string_view(text)) {}
    Slot(std::string_view slot, const std::string& text) : Slot(slot, std::string_view(text)) {}
    Slot(std::string_view slot, std::vector<std::int64_t> ranks) : name(slot), value(std::move(ranks)) {}
    Slot(std::string_view slot, std::vector<std::string> names) : name(slot), value(std::move(names)) {}
    Slot(std::string_view slot, Text clause) : name(slot), value(std::move(clause)) {}
    Slot(std::string_view slot, const Template& clause) : Slot(slot, Text(clause)) {}

    std::string_view name; ///< lives as long as the program
    Value value;
    [[nodiscard]] bool operator==(const Slot&) const = default;
};

struct Part {
    const Template* words = nullptr; ///< null for a verbatim text, which is the value of its only slot
    std::vector<Slot> filled;        // Qt takes the name slots for itself
    [[nodiscard]] bool operator==(const Part&) const = default;
};

/// Fills in a template. `words` must live as long as the program. Slots may be given that the template does
/// not use, so that templates of one kind can be filled alike.
[[nodiscard]] Text say(const Template& words, std::vector<Slot> filled);

} // namespace ringside::words
