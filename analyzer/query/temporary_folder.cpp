// SPDX-License-Identifier: Apache-2.0
#include "query/temporary_folder.h"

#include <ringside/error.h>

#include <cstdlib>

namespace ringside::query {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder()
{
    std::string name = (fs::temp_directory_path() / "ringside-query-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
        throw Error(ErrorCode::Io, "cannot make a temporary folder in " + fs::temp_directory_path().string(),
                    "Set TMPDIR to a folder with space, or merge the run first.");
    }
    m_path = name;
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
}

} // namespace ringside::query
