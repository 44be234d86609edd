// SPDX-License-Identifier: Apache-2.0
// Every way in which a process ends.
#include "program.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <thread>

namespace ringside::harm {
namespace {

int handlersAtExit(const Arguments& /*arguments*/)
{
    callCuda();
    std::atexit([] { expect(callCuda(), "CUDA works in atexit"); });
    std::atexit([] { say("second"); });
    on_exit([](int code, void*) { say(code == 4 ? "code 4" : "another code"); }, nullptr);
    std::exit(4);
}

int quickExit(const Arguments& /*arguments*/)
{
    callCuda();
    std::at_quick_exit([] { say("quick handler"); });
    std::atexit([] { say("must not be said"); });
    std::quick_exit(5);
}

int immediateExit(const Arguments& /*arguments*/)
{
    callCuda();
    std::printf("stays in the buffer");
    _exit(6);
}

int exitByCall(const Arguments& /*arguments*/)
{
    callCuda();
    syscall(SYS_exit_group, 7);
    return 1;
}

int aborted(const Arguments& /*arguments*/)
{
    callCuda();
    std::abort();
}

int uncaughtException(const Arguments& /*arguments*/)
{
    callCuda();
    throw std::runtime_error("nobody catches this");
}

int terminateHandler(const Arguments& /*arguments*/)
{
    std::set_terminate([] {
        say("terminate handler");
        _exit(8);
    });
    return uncaughtException({});
}

int deeper(int depth)
{
    volatile char page[65536];
    page[0] = static_cast<char>(depth);
    return depth < 0 ? 0 : deeper(depth + 1) + page[0];
}

int stackOverflow(const Arguments& /*arguments*/)
{
    return expect(callCuda(), "CUDA works") + deeper(0);
}

int threadExits(const Arguments& /*arguments*/)
{
    callCuda();
    std::thread([] { std::exit(9); }).join();
    return 1;
}

/// While others are in CUDA.
int exitsBesideCalls(const Arguments& /*arguments*/)
{
    for (int i = 0; i < 3; ++i) {
        std::thread([] {
            while (callCuda()) {
            }
            sleepMilliseconds(10000); // the runtime has ended before this thread
        }).detach();
    }
    sleepMilliseconds(100);
    std::exit(10);
}

struct EndsLate {
    ~EndsLate() { say(callCuda() ? "CUDA works in a static destructor" : "CUDA has ended"); }
};

int staticDestructors(const Arguments& /*arguments*/)
{
    static EndsLate endsLate;
    return expect(callCuda(), "CUDA works");
}

const Program g_endPrograms[] = {{"handlers_at_exit", handlersAtExit},
                                 {"quick_exit", quickExit},
                                 {"immediate_exit", immediateExit},
                                 {"exit_by_call", exitByCall},
                                 {"aborted", aborted},
                                 {"uncaught_exception", uncaughtException},
                                 {"terminate_handler", terminateHandler},
                                 {"stack_overflow", stackOverflow},
                                 {"thread_exits", threadExits},
                                 {"exits_beside_calls", exitsBesideCalls},
                                 {"static_destructors", staticDestructors}};

} // namespace
} // namespace ringside::harm
