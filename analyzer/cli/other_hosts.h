// SPDX-License-Identifier: Apache-2.0
// Facts of other hosts: the user's launcher starts this program on each of them, and it answers on stdout.
// Each fact is one line, so that answers of many hosts may be mixed.
#pragma once
#include "doctor/facts.h"

namespace ringside::cli {

/// Writes the answer of this host: lines ["host", "fact", "value"], then ["host", count].
void writeFacts(const doctor::Host& host);

/// Runs `launcher`, by the shell, with this program's `doctor --facts` appended. Throws ringside::Error
/// (Unusable) if no host answers or if the answer of a host, which it names, is incomplete.
[[nodiscard]] std::vector<doctor::Host> factsOfHosts(const std::string& launcher);

/// Reads a file with the output of writeFacts. Throws ringside::Error (Unusable) if it cannot be read or is
/// not the complete answer of one host.
[[nodiscard]] doctor::Facts factsOfFile(const std::string& path);

} // namespace ringside::cli
