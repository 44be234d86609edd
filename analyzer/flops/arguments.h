// SPDX-License-Identifier: Apache-2.0
// The arguments of an operator, read from the profiler's texts. What a text does not hold is null or empty;
// sizes of files are never trusted, so negative and absurd ones are not read.
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace ringside::flops {

/// The profiler's texts of a call: JSON arrays with one member an argument.
struct OperatorCall {
    std::string_view name;   ///< "aten::addmm"
    std::string_view shapes; ///< "[[256], [16, 512], [512, 256], [], []]"
    std::string_view types;  ///< "[\"float\", \"float\", \"float\", \"Scalar\", \"Scalar\"]"
    std::string_view inputs; ///< values of arguments that are no tensors: "[\"\", \"\", \"\", \"1\", \"1\"]"
};

using Shape = std::vector<double>; ///< empty: no tensor, or not readable

/// Returns the number of elements; of no dimensions, 1.
[[nodiscard]] double sizeOf(const Shape& shape);
/// Returns the bytes of a number of a type such as "c10::Half"; 0 if it is no type of numbers.
[[nodiscard]] double bytesOf(std::string_view type);

class Arguments final {
public:
    explicit Arguments(const OperatorCall& call);

    [[nodiscard]] Shape shape(std::size_t argument) const;
    [[nodiscard]] std::string_view type(std::size_t argument) const; ///< empty if there is none
    /// Returns the value of a list of numbers at `place`, or its only one for all places: a stride "[2]".
    [[nodiscard]] std::optional<double> number(std::size_t argument, std::size_t place) const;
    [[nodiscard]] std::optional<bool> truth(std::size_t argument) const;
    /// Whether a list of truths says true at `place`; false if there is no such list.
    [[nodiscard]] bool trueAt(std::size_t argument, std::size_t place) const;

private:
    std::vector<std::string_view> m_shapes, m_types, m_inputs;
};

} // namespace ringside::flops
