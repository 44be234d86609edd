// SPDX-License-Identifier: Apache-2.0
// A folder that goes with the test.
#pragma once
#include <stdlib.h>

#include <filesystem>
#include <string>

namespace ringside::test {

struct Folder {
    Folder()
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "ringside-sampled-XXXXXX").string();
        path = mkdtemp(pattern.data());
    }
    ~Folder() { std::filesystem::remove_all(path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::filesystem::path path;
};

} // namespace ringside::test
