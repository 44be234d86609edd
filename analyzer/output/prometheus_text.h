// SPDX-License-Identifier: Apache-2.0
// Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats). A value that was not
// measured has no line.
#pragma once
#include "trace/utf8.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::output {

/// Returns a label; backslash, quote and line break in its value are escaped.
[[nodiscard]] inline std::string label(std::string_view name, std::string_view value)
{
    std::string text = fmt::format("{}=\"", name);
    for (const char c : trace::shownText(value, ' ', "\n")) {
        text += c == '\n' ? "\\n" : c == '"' ? "\\\"" : c == '\\' ? "\\\\" : std::string(1, c);
    }
    return text + "\"";
}

/// All samples of a metric must be written together.
class PrometheusText final {
public:
    /// Every sample has the `common` labels.
    explicit PrometheusText(std::string common) : m_common(std::move(common)) {}

    void add(const std::string& name, std::string_view help, std::optional<double> value,
             const std::string& labels = {})
    {
        if (value) {
            std::string& text = m_texts[name];
            if (text.empty()) {
                text = fmt::format("# HELP {0} {1}\n# TYPE {0} gauge\n", name, help);
            }
            text += fmt::format("{}{{{}{}{}}} {}\n", name, m_common,
                                m_common.empty() || labels.empty() ? "" : ",", labels, *value);
        }
    }

    [[nodiscard]] std::string text() const
    {
        std::string all;
        for (const auto& [name, lines] : m_texts) {
            all += lines;
        }
        return all;
    }

private:
    std::string m_common;
    std::map<std::string, std::string> m_texts;
};

} // namespace ringside::output
