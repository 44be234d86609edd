// SPDX-License-Identifier: Apache-2.0
#include "attach/dcgm_text.h"

#include "values/parse_number.h"

#include <algorithm>
#include <array>

namespace ringside::attach {
namespace {

constexpr std::size_t kMostGpus = 1024;

struct Field {
    std::string_view name;
    std::optional<double> DcgmGpu::*value;
    bool isShare;
};
constexpr std::array kFields{Field{"DCGM_FI_PROF_SM_ACTIVE", &DcgmGpu::smActive, true},
                             Field{"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", &DcgmGpu::tensorActive, true},
                             Field{"DCGM_FI_PROF_DRAM_ACTIVE", &DcgmGpu::dramActive, true},
                             Field{"DCGM_FI_PROF_NVLINK_TX_BYTES", &DcgmGpu::nvlinkTxBytesPerS, false},
                             Field{"DCGM_FI_PROF_NVLINK_RX_BYTES", &DcgmGpu::nvlinkRxBytesPerS, false},
                             Field{"DCGM_FI_DEV_XID_ERRORS", &DcgmGpu::lastXid, false}};

struct Line {
    const Field* field = nullptr;
    std::string index;
    std::string busId;
    std::string host;
    double value = 0;
};

/// Removes `NAME="value"` from the front, with the escapes of the format. Returns false at anything else.
bool takeLabel(std::string_view& text, std::string& name, std::string& value)
{
    const std::size_t equals = text.find("=\"");
    if (equals == std::string_view::npos) {
        return false;
    }
    name = values::trimmed(text.substr(0, equals));
    value.clear();
    for (std::size_t i = equals + 2; i < text.size(); ++i) {
        if (text[i] == '"') {
            text.remove_prefix(i + 1);
            return true;
        }
        i += text[i] == '\\' && i + 1 < text.size() ? 1 : 0;
        value += text[i];
    }
    return false;
}

/// The labels between the braces; `text` begins behind the opening one and ends up behind the closing one.
bool takeLabels(std::string_view& text, Line& line)
{
    std::string name;
    std::string value;
    while (!text.starts_with('}')) {
        if (!takeLabel(text, name, value)) {
            return false;
        }
        if (name == "gpu") {
            line.index = value;
        } else if (name == "pci_bus_id") {
            line.busId = value;
        } else if (name == "Hostname") {
            line.host = value;
        }
        text.remove_prefix(text.starts_with(',') ? 1 : 0);
    }
    text.remove_prefix(1);
    return true;
}

std::optional<Line> parseLine(std::string_view text)
{
    const std::size_t brace = std::min(text.find('{'), text.size());
    const auto field = std::ranges::find(kFields, text.substr(0, brace), &Field::name);
    if (field == kFields.end() || brace == text.size()) {
        return std::nullopt;
    }
    Line line;
    line.field = &*field;
    text.remove_prefix(brace + 1);
    if (!takeLabels(text, line)) {
        return std::nullopt;
    }
    text = values::trimmed(text);
    const auto value = values::parseNumber<double>(text.substr(0, text.find(' '))); // a time may follow
    if (!value || *value < 0 || (field->isShare && *value > 1)) {
        return std::nullopt;
    }
    line.value = *value;
    return line;
}

DcgmGpu* gpuOf(std::vector<DcgmGpu>& gpus, const Line& line)
{
    const auto index = values::parseNumber<std::int64_t>(line.index);
    const auto known = std::ranges::find_if(
        gpus, [&](const DcgmGpu& gpu) { return gpu.index == index && gpu.busId == line.busId; });
    if (known != gpus.end()) {
        return &*known;
    }
    if (gpus.size() >= kMostGpus || (!index && line.busId.empty())) {
        return nullptr;
    }
    gpus.emplace_back();
    gpus.back().index = index;
    gpus.back().busId = line.busId;
    return &gpus.back();
}

} // namespace

std::vector<DcgmGpu> parseDcgmText(std::string_view text)
{
    std::vector<DcgmGpu> gpus;
    std::optional<std::string> host;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const auto line = parseLine(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!line || line->host != host.value_or(line->host)) {
            continue;
        }
        host = line->host;
        if (DcgmGpu* const gpu = gpuOf(gpus, *line)) {
            gpu->*line->field->value = line->value;
        }
    }
    return gpus;
}

} // namespace ringside::attach
