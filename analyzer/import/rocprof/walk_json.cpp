// SPDX-License-Identifier: Apache-2.0
#include "import/rocprof/walk_json.h"

namespace ringside::importers::rocprof {
namespace {

using kineto::JsonCursor;
using kineto::Scan;

constexpr std::size_t kDeepest = 64; // deeper nesting is no profile

class Walk final {
public:
    Walk(kineto::Window& window, const Visitor& visitor) : m_window(window), m_visitor(visitor) {}

    Walked run()
    {
        for (;;) {
            JsonCursor cursor = m_window.cursor();
            cursor.skipSpace();
            Scan result = Scan::Incomplete;
            if (!cursor.ended()) {
                result = step(cursor);
            }
            if (result == Scan::Good) {
                m_window.consumeUntil(cursor.at());
                if (m_done) {
                    return Walked::Whole;
                }
            } else if (result == Scan::Broken) {
                return Walked::Broken;
            } else if (!m_window.more()) {
                return Walked::CutOff;
            }
        }
    }

private:
    /// Reads a comma, the end of a container, or a member or element.
    Scan step(JsonCursor& cursor)
    {
        const char first = cursor.peek();
        if (first == ',') {
            cursor.step();
            return Scan::Good;
        }
        if (first == '}' || first == ']') {
            return leave(cursor);
        }
        if (!m_open.empty() && m_open.back() == '{') {
            std::string_view key;
            if (const Scan result = cursor.key(key); result != Scan::Good) {
                return result;
            }
            m_path.back() = key.substr(0, kLongestKey);
        }
        return cursor.ended() ? Scan::Incomplete : member(cursor);
    }

    Scan member(JsonCursor& cursor)
    {
        const char first = cursor.peek();
        const bool wanted = m_visitor.wants(m_path, first);
        if (!wanted && (first == '{' || first == '[')) {
            return enter(cursor);
        }
        std::string_view json;
        const Scan result = cursor.value(json);
        if (result == Scan::Good && wanted) {
            m_visitor.value(m_path, json);
        }
        m_done = result == Scan::Good && m_open.empty();
        return result;
    }

    Scan enter(JsonCursor& cursor)
    {
        m_open += cursor.peek();
        if (m_open.back() == '{') {
            m_path.emplace_back();
        }
        cursor.step();
        return m_open.size() <= kDeepest ? Scan::Good : Scan::Broken;
    }

    Scan leave(JsonCursor& cursor)
    {
        if (m_open.empty() || m_open.back() != (cursor.peek() == '}' ? '{' : '[')) {
            return Scan::Broken;
        }
        if (m_open.back() == '{') {
            m_path.pop_back();
            m_visitor.leaveObject(m_path);
        }
        m_open.pop_back();
        m_done = m_open.empty();
        cursor.step();
        return Scan::Good;
    }

    static constexpr std::size_t kLongestKey = 256;
    kineto::Window& m_window;
    const Visitor& m_visitor;
    std::string m_open; ///< the brackets that are open
    std::vector<std::string> m_path;
    bool m_done = false;
};

} // namespace

Walked walkJson(kineto::Window& window, const Visitor& visitor)
{
    return Walk(window, visitor).run();
}

} // namespace ringside::importers::rocprof
