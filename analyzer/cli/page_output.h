// SPDX-License-Identifier: Apache-2.0
// The output of sub-commands whose result is one document, for people, or JSON.
#pragma once
#include "document/document.h"

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace ringside::cli {

/// Declares --format with the formats that printPage knows; `format` holds the default and outlives the
/// parsing.
void addPageFormatOption(CLI::App& app, std::string& format);

/// Prints what `json` returns if the format is "json", else the document in that format.
void printPage(const std::string& format, const std::function<std::string()>& json,
               const std::function<document::Document()>& page);

} // namespace ringside::cli
