// SPDX-License-Identifier: Apache-2.0
// Instructions and their numbers: Python's Lib/pickletools.py.
#include "import/pickle/read_pickle.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <unordered_map>

namespace ringside::importers::pickle {
namespace {

/// A flight recorder's dump of 20000 entries has a tenth of it, and so has a memory snapshot of 400000
/// events.
constexpr std::uint64_t kLargestDump = 256U << 20U;
constexpr const char* kMakeSmaller = "Let PyTorch record fewer events before it writes the file.";
constexpr unsigned char kProtocol = 0x80;

/// Reads the bytes of the pickle in order.
class Input final {
public:
    explicit Input(Bytes& bytes) : m_bytes(bytes) {}

    [[nodiscard]] std::uint64_t offset() const { return m_offset; }
    [[nodiscard]] bool ended() const { return m_ended; }
    [[nodiscard]] bool isTooLarge() const { return m_offset >= kLargestDump; }
    /// Returns the next byte, or 0 after the end.
    unsigned char byte()
    {
        if (m_at == m_filled && !fill()) {
            return 0;
        }
        ++m_offset;
        return static_cast<unsigned char>(m_block[m_at++]);
    }
    std::uint64_t number(int bytes)
    {
        std::uint64_t value = 0;
        for (int i = 0; i < bytes; ++i) {
            value |= std::uint64_t{byte()} << 8U * static_cast<unsigned>(i);
        }
        return value;
    }
    std::string text(std::uint64_t length)
    {
        std::string text; // grows with the bytes that exist, because the length is not trusted
        while (text.size() < length && (m_at < m_filled || fill())) {
            const std::size_t part = std::min<std::size_t>(length - text.size(), m_filled - m_at);
            text.append(m_block.data() + m_at, part);
            m_at += part;
            m_offset += part;
        }
        m_ended = m_ended || text.size() < length;
        return text;
    }

private:
    bool fill()
    {
        m_at = 0;
        m_filled = m_ended || isTooLarge() ? 0 : m_bytes.read(m_block);
        m_ended = m_filled == 0;
        return !m_ended;
    }

    Bytes& m_bytes;
    std::vector<char> m_block = std::vector<char>(64U << 10U);
    std::size_t m_at = 0;
    std::size_t m_filled = 0;
    std::uint64_t m_offset = 0;
    bool m_ended = false;
};

const char* forbiddenName(unsigned char code)
{
    switch (code) {
    case 'c':
    case 0x93:
        return "GLOBAL";
    case 'R':
        return "REDUCE";
    case 'b':
        return "BUILD";
    case 'i':
        return "INST";
    case 'o':
        return "OBJ";
    case 0x81:
    case 0x92:
        return "NEWOBJ";
    case 'P':
    case 'Q':
        return "PERSID";
    case 0x82:
    case 0x83:
    case 0x84:
        return "EXT";
    default:
        return nullptr;
    }
}

class Machine final {
public:
    Machine(Bytes& bytes, Document& document) : m_input(bytes), m_document(document) {}

    void run()
    {
        while (m_document.problem.empty()) {
            m_document.offset = m_input.offset();
            const unsigned char code = m_input.byte();
            if (!m_input.ended() && code == '.') {
                break;
            }
            if (!m_input.ended()) {
                execute(code);
            }
            if (m_input.ended() && m_input.isTooLarge()) {
                fail("is larger than 256 MiB", kMakeSmaller);
            } else if (m_input.ended()) {
                fail("breaks off",
                     "Copy it again. If it is complete, the process was killed while it wrote the dump.");
            } else if (m_document.values.full() || m_stack.size() >= Values::kMost ||
                       m_memo.size() >= Values::kMost) {
                fail("contains more values than are read", kMakeSmaller);
            }
        }
        while (m_stack.size() > 1 && !m_marks.empty()) {
            closeUnfinished();
        }
        m_document.root = m_stack.empty() ? Values::kNone : m_stack.front();
    }

private:
    Values& values() { return m_document.values; }
    void push(ValueId value) { m_stack.push_back(value); }
    void fail(std::string problem, const char* hint)
    {
        if (m_document.problem.empty()) {
            m_document.problem = std::move(problem);
            m_document.hint = hint;
        }
    }
    void failDamaged() { fail("is damaged", "Copy it again."); }

    void execute(unsigned char code)
    {
        if (!makeScalar(code) && !makeContainer(code) && !useMemo(code)) {
            const char* const forbidden = forbiddenName(code);
            fail(
                forbidden != nullptr
                    ? fmt::format("contains the instruction {} (0x{:02x}), which would run code", forbidden,
                                  code)
                    : fmt::format("contains 0x{:02x}, which is no instruction for plain values", code),
                "What PyTorch dumps contains only plain values. If you trust the file, load it in Python and "
                "write those with pickle.dump.");
        }
    }

    bool makeScalar(unsigned char code)
    {
        switch (code) {
        case kProtocol:
            m_input.byte();
            return true;
        case 0x95: // FRAME: a length that is not needed
            m_input.number(8);
            return true;
        case 'N':
            push(Values::kNone);
            return true;
        case 0x88:
        case 0x89:
            push(values().add(Type::Boolean, code == 0x88 ? 1 : 0));
            return true;
        case 'J':
            push(values().add(Type::Integer, static_cast<std::int32_t>(m_input.number(4))));
            return true;
        case 'K':
            push(values().add(Type::Integer, static_cast<std::int64_t>(m_input.number(1))));
            return true;
        case 'M':
            push(values().add(Type::Integer, static_cast<std::int64_t>(m_input.number(2))));
            return true;
        case 0x8A:
            pushLong();
            return true;
        case 'G':
            m_input.number(8);
            push(values().addReal(0));
            return true;
        case 'X':
        case 0x8C:
        case 0x8D:
            push(values().addText(m_input.text(m_input.number(code == 'X' ? 4 : code == 0x8C ? 1 : 8))));
            return true;
        default:
            return false;
        }
    }

    /// Reads LONG1: an integer of up to 255 bytes in two's complement. A dump has none of more than 64 bits.
    void pushLong()
    {
        const int bytes = m_input.byte();
        std::uint64_t value = 0;
        unsigned char last = 0;
        for (int i = 0; i < bytes; ++i) {
            last = m_input.byte();
            value |= i < 8 ? std::uint64_t{last} << 8U * static_cast<unsigned>(i) : 0;
        }
        if (bytes > 8) {
            push(Values::kNone);
            return;
        }
        if (bytes < 8 && (last & 0x80U) != 0) {
            value |= ~std::uint64_t{0} << 8U * static_cast<unsigned>(bytes);
        }
        push(values().add(Type::Integer, static_cast<std::int64_t>(value)));
    }

    bool makeContainer(unsigned char code)
    {
        switch (code) {
        case ']':
        case ')':
            push(values().addContainer(Type::List));
            return true;
        case '}':
            push(values().addContainer(Type::Dictionary));
            return true;
        case '(':
            m_marks.push_back(m_stack.size());
            return true;
        case '0':
            drop(1);
            return true;
        case '1':
            drop(removeMark());
            return true;
        case 't':
        case 'l':
            collect(Type::List, removeMark());
            return true;
        case 'd':
            collect(Type::Dictionary, removeMark());
            return true;
        case 0x85:
        case 0x86:
        case 0x87:
            collect(Type::List, code - 0x84U);
            return true;
        case 'a':
            extend(Type::List, 1);
            return true;
        case 'e':
            extend(Type::List, removeMark());
            return true;
        case 's':
            extend(Type::Dictionary, 2);
            return true;
        case 'u':
            extend(Type::Dictionary, removeMark());
            return true;
        default:
            return false;
        }
    }

    bool useMemo(unsigned char code)
    {
        switch (code) {
        case 'q':
        case 'r':
            memoize(m_input.number(code == 'q' ? 1 : 4));
            return true;
        case 0x94:
            memoize(m_memo.size());
            return true;
        case 'h':
        case 'j':
            recall(m_input.number(code == 'h' ? 1 : 4));
            return true;
        default:
            return false;
        }
    }
    void memoize(std::uint64_t place)
    {
        if (m_stack.empty()) {
            failDamaged();
            return;
        }
        m_memo[place] = m_stack.back();
    }
    void recall(std::uint64_t place)
    {
        const auto found = m_memo.find(place);
        if (found == m_memo.end()) {
            failDamaged();
            return;
        }
        push(found->second);
    }

    /// Removes the last mark and returns the number of values above it.
    std::size_t removeMark()
    {
        if (m_marks.empty() || m_marks.back() > m_stack.size()) {
            failDamaged();
            return 0;
        }
        const std::size_t mark = m_marks.back();
        m_marks.pop_back();
        return m_stack.size() - mark;
    }
    /// Whether there are so many values above the last mark. If not, the pickle is damaged.
    bool has(std::size_t count)
    {
        const std::size_t floor = m_marks.empty() ? 0 : m_marks.back();
        if (m_stack.size() < floor || m_stack.size() - floor < count) {
            failDamaged();
            return false;
        }
        return true;
    }
    void drop(std::size_t count)
    {
        if (has(count)) {
            m_stack.resize(m_stack.size() - count);
        }
    }
    void appendTop(ValueId container, std::size_t count)
    {
        for (std::size_t i = m_stack.size() - count; i < m_stack.size(); ++i) {
            values().append(container, m_stack[i]);
        }
        m_stack.resize(m_stack.size() - count);
    }
    void collect(Type type, std::size_t count)
    {
        const ValueId container = has(count) ? values().addContainer(type) : Values::kNone;
        if (container != Values::kNone) {
            appendTop(container, count);
            push(container);
        }
    }
    void extend(Type type, std::size_t count)
    {
        if (!has(count + 1)) {
            return;
        }
        const ValueId container = m_stack[m_stack.size() - count - 1];
        if (values().typeOf(container) != type || (type == Type::Dictionary && count % 2 != 0)) {
            failDamaged();
            return;
        }
        appendTop(container, count);
    }
    /// Closes a container of a pickle that breaks off: adds the values above the last mark to the container
    /// below it.
    void closeUnfinished()
    {
        const std::size_t mark = std::min(m_marks.back(), m_stack.size());
        m_marks.pop_back();
        const ValueId container = mark > 0 ? m_stack[mark - 1] : Values::kNone;
        std::size_t count = m_stack.size() - mark;
        if (values().typeOf(container) == Type::Dictionary && count % 2 != 0) {
            m_stack.pop_back();
            --count;
        }
        if (values().isContainer(container)) {
            appendTop(container, count);
        } else {
            m_stack.resize(mark);
        }
    }

    Input m_input;
    Document& m_document;
    std::vector<ValueId> m_stack;
    std::vector<std::size_t> m_marks; ///< sizes of the stack at the marks
    std::unordered_map<std::uint64_t, ValueId> m_memo;
};

} // namespace

bool isPickle(std::string_view head)
{
    constexpr unsigned char kFirst = 2;
    constexpr unsigned char kLast = 5;
    const auto byte = [head](std::size_t i) { return static_cast<unsigned char>(head[i]); };
    return head.size() > 2 && byte(0) == kProtocol && byte(1) >= kFirst && byte(1) <= kLast;
}

Document readPickle(Bytes& bytes)
{
    Document document;
    Machine(bytes, document).run();
    return document;
}

} // namespace ringside::importers::pickle
