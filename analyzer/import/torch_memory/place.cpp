// SPDX-License-Identifier: Apache-2.0
#include "import/torch_memory/place.h"

#include "import/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace ringside::importers::torch_memory {
namespace {

using pickle::ValueId;
using pickle::Values;

constexpr std::size_t kDeepest = 512;     ///< frames of a stack that are looked at
constexpr std::size_t kMostCallers = 4;   ///< of the innermost frame
constexpr std::size_t kLongestText = 200; ///< of a file's or a function's name

struct Frame {
    std::string_view file;
    std::string_view function;
    std::int64_t line = 0;
};

Frame frameOf(const Values& values, ValueId id)
{
    return {values.textOf(values.find(id, "filename")), values.textOf(values.find(id, "name")),
            values.integerOf(values.find(id, "line")).value_or(0)};
}

/// Files in memory, "<ipython-input-3>", are the program's; "<frozen importlib._bootstrap>" is Python's.
bool isPython(const Frame& frame)
{
    return frame.file.ends_with(".py") || (frame.file.starts_with('<') && !frame.file.starts_with("<frozen"));
}

/// Whether it is of PyTorch itself or of Python's own library.
bool isOfFramework(const Frame& frame)
{
    const auto holds = [&](std::string_view part) { return frame.file.find(part) != std::string_view::npos; };
    return holds("/torch/") ||
           (holds("/lib/python3") && !holds("/site-packages/") && !holds("/dist-packages/"));
}

/// Returns the last folder and the name: layers.py alone is in many folders.
std::string_view shortFile(std::string_view file)
{
    const std::size_t name = file.rfind('/');
    const std::size_t folder = name == std::string_view::npos || name == 0 ? name : file.rfind('/', name - 1);
    return folder == std::string_view::npos ? file : file.substr(folder + 1);
}

std::string textOf(const Frame& frame)
{
    return cleanText(fmt::format("{}:{} {}", shortFile(frame.file).substr(0, kLongestText), frame.line,
                                 frame.function.substr(0, kLongestText)));
}

/// Returns the function of a compiled frame without its namespace and its arguments.
std::string_view shortFunction(std::string_view name)
{
    name = name.substr(0, name.find('('));
    const std::size_t inner = name.rfind("::");
    const std::size_t outer =
        inner == std::string_view::npos || inner == 0 ? inner : name.rfind("::", inner - 1);
    return outer == std::string_view::npos ? name : name.substr(outer + 2);
}

std::string compiledPlace(const Values& values, const std::vector<ValueId>& frames, std::size_t count)
{
    constexpr std::string_view kBackward = "Backward";
    for (std::size_t i = 0; i < count; ++i) {
        const std::string_view name = shortFunction(frameOf(values, frames[i]).function);
        if (name.find(kBackward) != std::string_view::npos) {
            return "backward: " + cleanText(name.substr(0, name.find("::")).substr(0, kLongestText));
        }
    }
    return cleanText(shortFunction(frameOf(values, frames.front()).function).substr(0, kLongestText));
}

} // namespace

std::string placeOf(const Values& values, ValueId id)
{
    const std::vector<ValueId>& frames = values.childrenOf(id);
    const std::size_t count = std::min(frames.size(), kDeepest);
    std::string text;
    std::size_t callers = 0;
    for (std::size_t i = 0; i < count && callers <= kMostCallers; ++i) {
        const Frame frame = frameOf(values, frames[i]);
        if (isPython(frame) && (text.empty() || !isOfFramework(frame))) {
            text += (text.empty() ? "" : " < ") + textOf(frame);
            ++callers;
        }
    }
    return text.empty() && count > 0 ? compiledPlace(values, frames, count) : text;
}

} // namespace ringside::importers::torch_memory
