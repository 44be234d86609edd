// SPDX-License-Identifier: Apache-2.0
#include "report/format.h"

#include "report/document.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <algorithm>

namespace ringside::report {

std::string Format::render(const Report& report, const TextStyle& style) const
{
    if (renderer == nullptr) {
        return facts(report);
    }
    return renderer->render(documentOf(report, renderer->forScreen ? style.extent : Extent::All), style);
}

const std::vector<Format>& formats()
{
    static const std::vector<Format> all = [] {
        std::vector<Format> list;
        for (const Format* const format : factFormats()) {
            list.push_back(*format);
        }
        for (const document::Renderer* const renderer : document::renderers()) {
            list.push_back({renderer->id, renderer->title, nullptr, nullptr, renderer});
        }
        std::ranges::sort(list, {}, &Format::id);
        return list;
    }();
    return all;
}

std::string nameOf(const Format& format)
{
    std::string name(format.id);
    std::ranges::replace(name, '_', '-');
    return name;
}

const Format& formatNamed(std::string_view name)
{
    const auto found = std::ranges::find(formats(), name, nameOf);
    if (found == formats().end()) {
        throw Error(ErrorCode::Usage, fmt::format("unknown format '{}'", name));
    }
    return *found;
}

} // namespace ringside::report
