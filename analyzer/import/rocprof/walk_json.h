// SPDX-License-Identifier: Apache-2.0
// Walks through a JSON document of any size and gives out chosen values, one at a time.
#pragma once
#include "import/kineto/window.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::importers::rocprof {

/// The keys of the objects around a value and its own, outermost first. Arrays add none: an element has the
/// path of its array.
using Path = std::span<const std::string>;

struct Visitor {
    /// Whether a value is wanted as a whole. Objects and arrays that are not are entered.
    std::function<bool(Path path, char firstCharacter)> wants;
    std::function<void(Path path, std::string_view json)> value;
    std::function<void(Path path)> leaveObject; ///< with the path of the object
};

enum class Walked : std::uint8_t { Whole, CutOff, Broken };

/// Visits the values of a document in their order, up to its end or to damage.
[[nodiscard]] Walked walkJson(kineto::Window& window, const Visitor& visitor);

} // namespace ringside::importers::rocprof
