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

/// `schema`: a path below analyzer/, such as "report/ringside-report-1.schema.json". The schema leaves room
/// for additions; if `closed`, a member that it does not describe is an error too.
inline bool keepsSchema(const std::string& text, std::string_view schema, bool closed = false)
{
    constexpr std::string_view kClose =
        "def close(s):\n"
        " if isinstance(s, dict):\n"
        "  if 'properties' in s: s.setdefault('additionalProperties', False)\n"
        "  s = list(s.values())\n"
        " for each in s if isinstance(s, list) else []: close(each)\n"
        "close(schema)\n";
    const std::string file = fmt::format("{}/schema_{}.json", testing::TempDir(), ::getpid());
    std::ofstream(file) << text;
    const std::string command =
        fmt::format("{} -c \"import json,jsonschema,sys\nschema = json.load(open(sys.argv[2]))\n{}"
                    "jsonschema.validate(json.load(open(sys.argv[1])), schema)\" {} {}/{} 2>/dev/null",
                    RINGSIDE_PYTHON, closed ? kClose : "", file, RINGSIDE_SCHEMAS, schema);
    const bool valid = std::system(command.c_str()) == 0;
    std::remove(file.c_str());
    return valid;
}

} // namespace ringside::test
