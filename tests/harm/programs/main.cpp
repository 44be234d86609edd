// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>

namespace ringside::harm {
namespace {

std::vector<const Program*>& programs()
{
    static std::vector<const Program*> all;
    return all;
}

} // namespace

Program::Program(const char* programName, int (*function)(const Arguments&))
    : name(programName), run(function)
{
    programs().push_back(this);
}

int expect(bool condition, const char* what)
{
    return condition ? 0 : (say((std::string("not so: ") + what).c_str()), 1);
}

int say(const char* line)
{
    // Without memory of its own: some programs have none left.
    const std::array<iovec, 2> parts{
        {{const_cast<char*>(line), std::strlen(line)}, {const_cast<char*>("\n"), 1}}};
    const auto bytes = static_cast<ssize_t>(std::strlen(line) + 1);
    return writev(STDOUT_FILENO, parts.data(), static_cast<int>(parts.size())) == bytes ? 0 : 3;
}

void sleepMilliseconds(long milliseconds)
{
    timespec left{milliseconds / 1000, milliseconds % 1000 * 1'000'000};
    while (nanosleep(&left, &left) != 0) {
    }
}

} // namespace ringside::harm

int main(int count, char** words)
{
    for (const auto* program : ringside::harm::programs()) {
        if (count > 1 && std::strcmp(program->name, words[1]) == 0) {
            return program->run({words + 2, words + count});
        }
    }
    std::fprintf(stderr, "harm: no program %s\n", count > 1 ? words[1] : "is named");
    return 2;
}
