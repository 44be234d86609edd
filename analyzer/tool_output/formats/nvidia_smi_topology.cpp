// SPDX-License-Identifier: Apache-2.0
// `nvidia-smi topo -m`: how GPUs and adapters of one host are connected, as a matrix, and below "NIC Legend:"
// the names of the adapters. The words are those of its own legend: X, NV#, PIX, PXB, PHB, NODE, SYS. Columns
// after the matrix (affinities) have blanks in their names, so only the first ones are read.
#include "tool_output/reader.h"
#include "tool_output/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ringside::tool_output::reader_nvidia_smi_topology {
namespace {

bool isLabel(std::string_view word, std::string_view kind)
{
    return word.starts_with(kind) && numberIn(word.substr(kind.size())).has_value();
}

bool isHead(std::string_view line)
{
    const std::string_view first = takeWord(line);
    return isLabel(first, "GPU") && (takeWord(line) == "GPU1" || holds(line, "NIC0") || holds(line, "CPU"));
}

bool recognizes(std::string_view text)
{
    return holds(text, "GPU0") && holds(text, "X    = Self");
}

/// Returns the words of a line as long as they are labels of the matrix.
std::vector<std::string_view> labelsOf(std::string_view line)
{
    std::vector<std::string_view> labels;
    for (std::string_view word = takeWord(line); isLabel(word, "GPU") || isLabel(word, "NIC");
         word = takeWord(line)) {
        labels.push_back(word);
    }
    return labels;
}

bool isConnection(std::string_view word)
{
    constexpr std::array<std::string_view, 6> kWords{"X", "PIX", "PXB", "PHB", "NODE", "SYS"};
    return std::ranges::find(kWords, word) != kWords.end() || isLabel(word, "NV");
}

/// Reads a row of the matrix: fact "topology GPU0" is "GPU1=NV18 NIC0=PIX".
void readRow(std::string_view line, const std::vector<std::string_view>& labels, Reading& reading)
{
    const std::string_view name = takeWord(line);
    if (!isLabel(name, "GPU")) {
        return;
    }
    std::string connections;
    for (const std::string_view label : labels) {
        const std::string_view word = takeWord(line);
        if (!isConnection(word)) {
            return; // a row that does not fit its head tells nothing
        }
        if (word != "X") {
            connections += fmt::format("{}{}={}", connections.empty() ? "" : " ", label, word);
        }
    }
    reading.topology[printable(name)] = std::move(connections);
}

Reading read(const File& file)
{
    constexpr std::size_t kMostLabels = 256; // GPUs and adapters of a host
    Reading reading;
    std::vector<std::string_view> labels;
    const std::string plain = withoutColours(file.text); // the head is underlined
    std::string_view text = plain;
    while (const auto line = takeLine(text)) {
        if (labels.empty() && isHead(*line)) {
            labels = labelsOf(*line);
            labels.resize(std::min(labels.size(), kMostLabels));
        } else if (!labels.empty()) {
            readRow(*line, labels, reading);
        }
        const auto [nic, device] = partedBy(values::trimmed(*line), ": ");
        if (isLabel(nic, "NIC")) {
            reading.topology[printable(nic)] = printable(device);
        }
    }
    return reading;
}

} // namespace

RINGSIDE_TOOL_OUTPUT(nvidia_smi_topology, .command = "nvidia-smi topo -m > FILE", .recognizes = recognizes,
                     .read = read);

} // namespace ringside::tool_output::reader_nvidia_smi_topology
