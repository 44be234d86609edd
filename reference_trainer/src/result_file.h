// SPDX-License-Identifier: Apache-2.0
// Files for results. That one cannot be written must be said before training, not after it.
#pragma once
#include <string>
#include <string_view>

namespace ringside::trainer {

/// Throws Failure when `path` cannot be opened for writing. Changes nothing: what is there stays as it is,
/// and where nothing is, nothing remains.
void checkWritable(const std::string& path);

/// Replaces the file's contents. Throws Failure when that fails.
void writeFile(const std::string& path, std::string_view bytes);

} // namespace ringside::trainer
