// SPDX-License-Identifier: Apache-2.0
// Facts of other hosts, by the user's own launcher: it starts this program on each of them, which answers on
// its standard output. A line a fact, so that answers of many hosts may come mixed.
#pragma once
#include "doctor/facts.h"

namespace ringside::cli {

/// Writes the answer of this host: lines ["host", "fact", "value"] and a last one ["host", count].
void writeFacts(const doctor::Host& host);

/// Runs `launcher` with this program's `doctor --facts` behind it, by the shell. Throws ringside::Error
/// (Unusable) when nobody answers, or when an answer is not whole: that host is then named.
[[nodiscard]] std::vector<doctor::Host> factsOfHosts(const std::string& launcher);

/// What writeFacts wrote into a file. Throws ringside::Error (Unusable): it cannot be read, or is not the
/// whole answer of one host.
[[nodiscard]] doctor::Facts factsOfFile(const std::string& path);

} // namespace ringside::cli
