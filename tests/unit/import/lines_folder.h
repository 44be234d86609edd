// SPDX-License-Identifier: Apache-2.0
// A folder of files made of lines, opened as one run.
#pragma once
#include "import/open_run.h"
#include "support/temporary_directory.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace ringside::importers {

class LinesFolder : public testing::Test {
protected:
    void write(const std::string& name, const std::vector<std::string>& lines)
    {
        std::ofstream file(m_folder / name, std::ios::binary);
        for (const std::string& line : lines) {
            file << line << '\n';
        }
    }
    trace::RunTrace open()
    {
        Progress progress;
        return openRun({m_folder.path()}, progress);
    }

    test::TemporaryDirectory m_folder;
};

} // namespace ringside::importers
