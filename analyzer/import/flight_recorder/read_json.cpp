// SPDX-License-Identifier: Apache-2.0
#include "import/flight_recorder/read_json.h"

#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

namespace ringside::importers::flight_recorder {
namespace {

using namespace pickle;

constexpr std::size_t kDeepest = 32; // a dump has six levels

/// An iterator over the characters of a file, which are read in blocks.
class Characters final {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    struct Source {
        Bytes& bytes;
        std::vector<char> block = std::vector<char>(64U << 10U);
        std::size_t at = 0;
        std::size_t filled = 0;
        bool fill()
        {
            at = 0;
            filled = bytes.read(block);
            return filled > 0;
        }
    };
    /// A null source is the end of the file.
    explicit Characters(Source* source) : m_source(source != nullptr && source->fill() ? source : nullptr) {}

    reference operator*() const { return m_source->block[m_source->at]; }
    Characters& operator++()
    {
        if (++m_source->at == m_source->filled && !m_source->fill()) {
            m_source = nullptr;
        }
        return *this;
    }
    bool operator==(const Characters& other) const { return m_source == other.m_source; }
    bool operator!=(const Characters& other) const { return m_source != other.m_source; }

private:
    Source* m_source;
};

/// Receives the events of nlohmann's SAX parser and adds them as values.
class Builder final {
public:
    explicit Builder(Document& document) : m_document(document) {}

    // NOLINTBEGIN(readability-identifier-naming): the parser's names

    bool null() { return put(Values::kNone); }
    bool boolean(bool value) { return put(values().add(Type::Boolean, value ? 1 : 0)); }
    bool number_integer(std::int64_t value) { return put(values().add(Type::Integer, value)); }
    bool number_unsigned(std::uint64_t value)
    {
        constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        return put(value <= kLargest ? values().add(Type::Integer, static_cast<std::int64_t>(value))
                                     : Values::kNone);
    }
    bool number_float(double value, const std::string&) { return put(values().addReal(value)); }
    bool string(std::string& value) { return put(values().addText(std::move(value))); }
    bool binary(nlohmann::json::binary_t&) { return false; }
    bool start_object(std::size_t) { return open(Type::Dictionary); }
    bool start_array(std::size_t) { return open(Type::List); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool key(std::string& value)
    {
        m_key = values().addText(std::move(value));
        return !tooMany();
    }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&)
    {
        m_document.offset = position;
        return stop("is not JSON");
    }
    // NOLINTEND(readability-identifier-naming)

private:
    Values& values() { return m_document.values; }
    bool stop(std::string problem)
    {
        if (m_document.problem.empty()) {
            m_document.problem = std::move(problem);
        }
        return false;
    }
    bool tooMany() { return values().full() && !stop("contains more values than a dump can have"); }
    bool put(ValueId value)
    {
        if (m_open.empty()) {
            m_document.root = value;
            return !tooMany();
        }
        if (values().typeOf(m_open.back()) == Type::Dictionary) {
            values().append(m_open.back(), m_key);
        }
        values().append(m_open.back(), value);
        return !tooMany();
    }
    bool open(Type type)
    {
        if (m_open.size() >= kDeepest) {
            return stop("is nested deeper than a dump");
        }
        const ValueId container = values().addContainer(type);
        if (container == Values::kNone || !put(container)) {
            return stop("contains more values than a dump can have");
        }
        m_open.push_back(container);
        return true;
    }
    bool close()
    {
        m_open.pop_back();
        return true;
    }

    Document& m_document;
    std::vector<ValueId> m_open;
    ValueId m_key = Values::kNone;
};

} // namespace

pickle::Document readJson(Bytes& bytes)
{
    Document document;
    Characters::Source source{bytes};
    Builder builder(document);
    nlohmann::json::sax_parse(Characters(&source), Characters(nullptr), &builder,
                              nlohmann::json::input_format_t::json, true);
    if (!document.problem.empty()) {
        document.hint = "If it is incomplete, copy it again.";
    }
    return document;
}

} // namespace ringside::importers::flight_recorder
