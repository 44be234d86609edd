// SPDX-License-Identifier: Apache-2.0
// Files for results. A file that cannot be written must be reported before training, not after it.
#pragma once
#include <string>
#include <string_view>

namespace ringside::trainer {

/// Throws Failure if `path` cannot be opened for writing. Leaves an existing file unchanged, and leaves no
/// new one.
void checkWritable(const std::string& path);

/// Replaces the file's contents. Throws Failure on error.
void writeFile(const std::string& path, std::string_view bytes);

} // namespace ringside::trainer
