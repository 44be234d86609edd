// SPDX-License-Identifier: Apache-2.0
#include "flops/arguments.h"

#include "values/parse_number.h"

#include <algorithm>

namespace ringside::flops {
namespace {

constexpr std::size_t kMostArguments = 64;

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kAround = " \t\r\n";
    const std::size_t first = text.find_first_not_of(kAround);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(kAround) - first + 1);
}

/// Returns the members of "[a, [b, c], "d"]" without their quotes; none if it is no array.
std::vector<std::string_view> membersOf(std::string_view text)
{
    text = trimmed(text);
    std::vector<std::string_view> members;
    if (text.size() < 2 || text.front() != '[' || text.back() != ']') {
        return members;
    }
    text = text.substr(1, text.size() - 2);
    std::size_t begin = 0;
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i <= text.size() && members.size() < kMostArguments; ++i) {
        if (i < text.size() && (quoted || text[i] == '"')) {
            quoted = text[i] == '"' ? !quoted : quoted;
        } else if (i < text.size() && (text[i] == '[' || text[i] == ']')) {
            depth += text[i] == '[' ? 1 : -1;
        } else if (i == text.size() || (text[i] == ',' && depth == 0)) {
            std::string_view member = trimmed(text.substr(begin, i - begin));
            if (member.size() >= 2 && member.front() == '"' && member.back() == '"') {
                member = member.substr(1, member.size() - 2);
            }
            members.push_back(member);
            begin = i + 1;
        }
    }
    return members;
}

std::string_view at(const std::vector<std::string_view>& members, std::size_t place)
{
    return place < members.size() ? members[place] : std::string_view();
}

std::optional<bool> truthOf(std::string_view text)
{
    return text == "True" || text == "true"     ? std::optional(true)
           : text == "False" || text == "false" ? std::optional(false)
                                                : std::nullopt;
}

/// Returns a size or a stride; null for what cannot be one.
std::optional<double> numberOf(std::string_view text)
{
    constexpr std::int64_t kMost = std::int64_t{1} << 40U;
    const auto number = values::parseNumber<std::int64_t>(text);
    return number && *number >= 0 && *number <= kMost ? std::optional(static_cast<double>(*number))
                                                      : std::nullopt;
}

} // namespace

double sizeOf(const Shape& shape)
{
    double size = 1;
    for (const double each : shape) {
        size *= each;
    }
    return size;
}

double bytesOf(std::string_view type)
{
    return type == "double"                                           ? 8
           : type == "float"                                          ? 4
           : type == "c10::Half" || type == "c10::BFloat16"           ? 2
           : type.starts_with("c10::Float8") || type == "signed char" ? 1
                                                                      : 0;
}

Arguments::Arguments(const OperatorCall& call)
    : m_shapes(membersOf(call.shapes)), m_types(membersOf(call.types)), m_inputs(membersOf(call.inputs))
{}

Shape Arguments::shape(std::size_t argument) const
{
    Shape shape;
    for (const std::string_view each : membersOf(at(m_shapes, argument))) {
        const auto size = numberOf(each);
        if (!size || *size == 0) {
            return {};
        }
        shape.push_back(*size);
    }
    return shape;
}

std::string_view Arguments::type(std::size_t argument) const
{
    return at(m_types, argument);
}

std::optional<double> Arguments::number(std::size_t argument, std::size_t place) const
{
    const std::vector<std::string_view> list = membersOf(at(m_inputs, argument));
    return numberOf(at(list, list.size() == 1 ? 0 : place));
}

std::optional<bool> Arguments::truth(std::size_t argument) const
{
    return truthOf(at(m_inputs, argument));
}

bool Arguments::trueAt(std::size_t argument, std::size_t place) const
{
    return truthOf(at(membersOf(at(m_inputs, argument)), place)).value_or(false);
}

} // namespace ringside::flops
