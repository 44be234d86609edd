// SPDX-License-Identifier: Apache-2.0
// Reads Kineto JSON as HTA does. The importer's rows are not sufficient: they leave out synchronisation
// records, streams of operators and the positions of events, which HTA uses.
#include "import/bytes.h"
#include "import/decimal.h"
#include "import/importer.h"
#include "import/input.h"
#include "import/kineto/document.h"
#include "import/kineto/scan_events.h"
#include "import/kineto/window.h"
#include "import/name_table.h"
#include "report/hta/read.h"
#include "values/parse_number.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside::report::hta {
namespace {

using namespace importers::kineto;
using importers::Bytes;
using importers::NameTable;

struct Texts {
    std::string_view category, name, ts, dur, stream, correlation, bandwidth;
};

/// Cuts off a fraction. Returns -1 if it is not a number, as HTA does.
std::int64_t wholeOrNone(std::string_view text)
{
    constexpr double kLargest = 1e15;
    const auto value = values::parseNumber<double>(text);
    return value && std::abs(*value) < kLargest ? static_cast<std::int64_t>(*value) : -1;
}

Scan readTexts(JsonCursor& cursor, Texts& texts)
{
    std::string_view ignored;
    const auto argument = [&](std::string_view key) {
        return cursor.value(key == "stream"                    ? texts.stream
                            : key == "correlation"             ? texts.correlation
                            : key == "memory bandwidth (GB/s)" ? texts.bandwidth
                                                               : ignored);
    };
    const auto member = [&](std::string_view key) {
        if (key == "args" && cursor.peek() == '{') {
            return forEachMember(cursor, argument, [] { return false; });
        }
        return cursor.value(key == "cat"    ? texts.category
                            : key == "name" ? texts.name
                            : key == "ts"   ? texts.ts
                            : key == "dur"  ? texts.dur
                                            : ignored);
    };
    return forEachMember(cursor, member, [] { return false; });
}

class FrameOfTrace final {
public:
    void add(const Texts& texts)
    {
        const std::uint32_t index = m_index++;
        const auto ts = values::parseNumber<double>(texts.ts);
        m_fractions = m_fractions || !ts || texts.ts.find_first_of(".eE") != std::string_view::npos;
        const auto dur = values::parseNumber<double>(texts.dur);
        if (!ts || !dur || texts.category.empty() || texts.category == "Trace") {
            return;
        }
        Event event;
        event.ts = *ts;
        event.dur = *dur;
        event.index = index;
        event.name = m_names.idOf(texts.name);
        event.stream = wholeOrNone(texts.stream);
        event.correlation = values::parseNumber<std::int64_t>(texts.correlation).value_or(-1);
        event.bandwidth = values::parseNumber<double>(texts.bandwidth).value_or(0.0);
        event.isDeviceWork = std::ranges::find(kDeviceWork, texts.category) != kDeviceWork.end();
        event.isDevice = (event.stream >= 0 && event.correlation >= 0) || texts.name == "Event Sync" ||
                         texts.name == "Context Sync";
        m_frame.events.push_back(event);
    }

    Frame take()
    {
        if (m_fractions) {
            std::ranges::for_each(m_frame.events, cutToWhole);
        }
        for (std::uint32_t id = 0; id < m_names.size(); ++id) {
            m_frame.names.push_back(plainText(m_names.text(id)));
        }
        return std::move(m_frame);
    }

private:
    static constexpr std::array<std::string_view, 7> kDeviceWork{
        "kernel", "Kernel", "gpu_memset", "Memset", "gpu_memcpy", "Memcpy", "mtia_ccp_events"};

    /// Durations below 1 us become negative, as in HTA, in this format only.
    static void cutToWhole(Event& event)
    {
        const double end = std::floor(event.ts + event.dur);
        event.ts = std::ceil(event.ts);
        event.dur = end - event.ts;
    }

    Frame m_frame;
    NameTable m_names;
    std::uint32_t m_index = 0;
    bool m_fractions = false; ///< some time has a fraction or is missing
};

enum class Step : std::uint8_t { More, NeedsMore, End };

/// Parses the elements that are completely in the window.
Step takeText(Window& window, FrameOfTrace& builder)
{
    JsonCursor cursor = window.cursor();
    for (;;) {
        const Next next = nextElement(cursor);
        window.consumeUntil(cursor.at());
        if (next != Next::Event) {
            return next == Next::NeedsMore ? Step::NeedsMore : Step::End;
        }
        Texts texts;
        const Scan result = readTexts(cursor, texts);
        if (result == Scan::Incomplete) {
            return Step::NeedsMore;
        }
        if (result == Scan::Broken) {
            return findEvent(window, window.offset() + 1) ? Step::More : Step::End;
        }
        builder.add(texts);
    }
}

} // namespace

bool isKineto(const std::filesystem::path& path)
{
    const auto importers = importers::all();
    const auto kineto = std::ranges::find(importers, "kineto", &importers::Importer::id);
    return std::filesystem::is_regular_file(path) &&
           (*kineto)->recognises(importers::headOf(path, importers::kHeadBytes), path);
}

Frame readKineto(const std::filesystem::path& path)
{
    const importers::File file(path);
    importers::Progress unseen;
    Bytes bytes(file, 0, unseen);
    Window window(bytes, 0);
    Document document;
    FrameOfTrace builder;
    Step step = readHead(window, document) == Place::Events ? Step::More : Step::End;
    while (step != Step::End) {
        step = step == Step::NeedsMore && !window.more() ? Step::End : takeText(window, builder);
    }
    return builder.take();
}

} // namespace ringside::report::hta
