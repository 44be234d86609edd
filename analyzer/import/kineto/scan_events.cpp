// SPDX-License-Identifier: Apache-2.0
#include "import/kineto/scan_events.h"

#include "trace/read/parallel.h"

#include <algorithm>
#include <limits>
#include <mutex>

namespace ringside::importers::kineto {
namespace {

constexpr std::uint64_t kStretch = 8U << 20U;
constexpr std::size_t kContext = 256; // bytes; between two events there are only a comma and white space
constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

bool isSpace(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/// Whether `}` and `,` precede the brace.
bool followsEvent(std::string_view text, std::size_t brace)
{
    for (const char expected : {',', '}'}) {
        do {
            if (brace == 0) {
                return false;
            }
            --brace;
        } while (isSpace(text[brace]));
        if (text[brace] != expected) {
            return false;
        }
    }
    return true;
}

/// Whether the text begins with `{ "key" :` and a short key. Inside a string, the quotes would be escaped.
Scan beginsObject(JsonCursor cursor)
{
    constexpr std::size_t kLongestKey = 16;
    cursor.step();
    cursor.skipSpace();
    std::string_view key;
    const Scan result = cursor.key(key);
    return result == Scan::Good && key.size() > kLongestKey ? Scan::Broken : result;
}

struct Guess {
    Scan result = Scan::Incomplete;
    const char* at = nullptr; ///< the brace, or if Incomplete the end of the searched text
};

/// Finds the first brace at or after text[from] that seems to open an event.
Guess guessEvent(std::string_view text, std::size_t from)
{
    for (std::size_t brace = text.find('{', from); brace != std::string_view::npos;
         brace = text.find('{', brace + 1)) {
        if (!followsEvent(text, brace)) {
            continue;
        }
        const Scan result = beginsObject(JsonCursor(text.substr(brace)));
        if (result != Scan::Broken) {
            return {result, text.data() + brace};
        }
    }
    return {Scan::Incomplete, text.data() + text.size()};
}

class StretchScanner final {
public:
    StretchScanner(Window& window, std::uint64_t limit) : m_window(window), m_limit(limit) {}

    Scanned scan()
    {
        m_result.begin = m_window.offset();
        while (scanText()) {
        }
        m_result.end = m_window.offset();
        return std::move(m_result);
    }

private:
    /// Scans the text in the window. Returns false at the end of the stretch.
    bool scanText()
    {
        JsonCursor cursor = m_window.cursor();
        for (;;) {
            const Next next = nextElement(cursor);
            m_window.consumeUntil(cursor.at());
            if (next == Next::NeedsMore) {
                return m_window.more();
            }
            if (next == Next::Closed) {
                m_window.consumeUntil(cursor.at() + 1);
                m_result.how = End::Closed;
                return false;
            }
            if (next == Next::Event && m_window.offset() >= m_limit) {
                m_result.how = End::Limit;
                return false;
            }
            const Scan result = next == Next::Event ? readEvent(cursor, m_event) : Scan::Broken;
            if (result == Scan::Incomplete) {
                return completeEvent();
            }
            if (result == Scan::Broken) {
                return skipDamage();
            }
            m_result.rows.add(m_event);
        }
    }

    bool completeEvent()
    {
        if (m_window.more()) {
            return true;
        }
        m_result.insideEvent = !m_window.tooLarge();
        return m_window.tooLarge() && skipDamage();
    }

    bool skipDamage()
    {
        m_result.firstDamage = m_result.damaged == 0 ? m_window.offset() : m_result.firstDamage;
        ++m_result.damaged;
        return findEvent(m_window, m_window.offset() + 1);
    }

    Window& m_window;
    std::uint64_t m_limit;
    Scanned m_result;
    Event m_event;
};

/// Joins stretches in the order of the file. Threads may add them in any order.
class Joiner final {
public:
    Joiner(const File& file, Progress& progress, std::uint64_t first, std::size_t count)
        : m_file(file), m_progress(progress), m_waiting(count)
    {
        m_all.begin = m_all.end = first;
        m_all.how = End::Limit;
    }

    [[nodiscard]] bool ended()
    {
        const std::scoped_lock lock(m_mutex);
        return m_all.how != End::Limit;
    }

    void add(std::size_t index, std::uint64_t limit, Scanned&& scanned)
    {
        const std::scoped_lock lock(m_mutex);
        m_waiting[index] = {std::move(scanned), limit, true};
        for (; m_next < m_waiting.size() && m_waiting[m_next].isAdded; ++m_next) {
            if (m_all.how == End::Limit) {
                join(std::move(m_waiting[m_next]));
            }
            m_waiting[m_next] = {};
        }
    }

    Scanned result() { return std::move(m_all); }

private:
    struct Waiting {
        Scanned scanned;
        std::uint64_t limit = 0;
        bool isAdded = false;
    };

    void join(Waiting&& next)
    {
        if (m_all.end >= next.limit) { // one event covers the whole stretch
            return;
        }
        if (next.scanned.begin != m_all.end) {
            Bytes bytes(m_file, m_all.end, m_progress);
            Window window(bytes, m_all.end);
            next.scanned = scanStretch(window, next.limit);
        }
        Scanned& from = next.scanned;
        m_all.rows.append(std::move(from.rows));
        m_all.firstDamage = m_all.damaged == 0 ? from.firstDamage : m_all.firstDamage;
        m_all.damaged += from.damaged;
        m_all.end = from.end;
        m_all.how = from.how;
        m_all.insideEvent = from.insideEvent;
    }

    const File& m_file;
    Progress& m_progress;
    std::mutex m_mutex;
    std::vector<Waiting> m_waiting;
    std::size_t m_next = 0;
    Scanned m_all;
};

Scanned scanFrom(const File& file, std::uint64_t begin, std::uint64_t limit, Progress& progress)
{
    const std::uint64_t searchFrom = begin - std::min<std::uint64_t>(begin, kContext);
    Bytes bytes(file, searchFrom, progress);
    Window window(bytes, searchFrom);
    if (!findEvent(window, begin)) {
        Scanned nothing;
        nothing.begin = nothing.end = kNoLimit;
        return nothing;
    }
    return scanStretch(window, limit);
}

} // namespace

Next nextElement(JsonCursor& cursor)
{
    cursor.skipSpace();
    while (cursor.peek() == ',') {
        cursor.step();
        cursor.skipSpace();
    }
    switch (cursor.peek()) {
    case '{':
        return Next::Event;
    case ']':
        return Next::Closed;
    default:
        return cursor.ended() ? Next::NeedsMore : Next::Strange;
    }
}

bool findEvent(Window& window, std::uint64_t offset)
{
    for (;;) {
        const std::string_view text = window.text();
        const std::size_t from = offset > window.offset() ? offset - window.offset() : 0;
        const Guess guess = guessEvent(text, std::min(from, text.size()));
        if (guess.result == Scan::Good) {
            window.consumeUntil(guess.at);
            return true;
        }
        // Keep the text before a brace, because followsEvent needs it.
        const auto seen = static_cast<std::size_t>(guess.at - text.data());
        const std::uint64_t at = window.offsetOf(guess.at);
        window.consumeUntil(text.data() + (seen - std::min(seen, kContext)));
        if (!window.more()) {
            window.consumeUntil(window.text().data() + window.text().size());
            return false;
        }
        offset = std::max(offset, at);
    }
}

Scanned scanStretch(Window& window, std::uint64_t limit)
{
    return StretchScanner(window, limit).scan();
}

Scanned scanEvents(const File& file, Window& window, unsigned threads, Progress& progress)
{
    const std::uint64_t begin = window.offset();
    if (threads <= 1 || file.isGzip() || file.bytes() - begin <= 2 * kStretch) {
        return scanStretch(window, kNoLimit);
    }
    const auto count = static_cast<std::size_t>((file.bytes() - begin + kStretch - 1) / kStretch);
    Joiner joiner(file, progress, begin, count);
    trace::parallelFor(count, threads, [&](std::size_t i) {
        if (joiner.ended()) {
            return;
        }
        const std::uint64_t from = begin + i * kStretch;
        const std::uint64_t limit = i + 1 < count ? from + kStretch : kNoLimit;
        Scanned scanned;
        if (i == 0) {
            Bytes bytes(file, from, progress);
            Window own(bytes, from);
            scanned = scanStretch(own, limit);
        } else {
            scanned = scanFrom(file, from, limit, progress);
        }
        joiner.add(i, limit, std::move(scanned));
    });
    return joiner.result();
}

} // namespace ringside::importers::kineto
