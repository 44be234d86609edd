// SPDX-License-Identifier: Apache-2.0
// Whether a text keeps one of the published contracts, as python3-jsonschema sees it.
#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

namespace ringside::test {

/// `schema`: a path below analyzer/, such as "report/ringside-report-1.schema.json".
inline bool keepsSchema(const std::string& text, std::string_view schema)
{
    const std::string file = fmt::format("{}/schema_{}.json", testing::TempDir(), ::getpid());
    std::ofstream(file) << text;
    const std::string command =
        fmt::format("{} -c \"import json,jsonschema,sys; jsonschema.validate(json.load(open(sys.argv[1])), "
                    "json.load(open(sys.argv[2])))\" {} {}/{} 2>/dev/null",
                    RINGSIDE_PYTHON, file, RINGSIDE_SCHEMAS, schema);
    const bool valid = std::system(command.c_str()) == 0;
    std::remove(file.c_str());
    return valid;
}

} // namespace ringside::test
