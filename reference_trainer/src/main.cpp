// SPDX-License-Identifier: Apache-2.0
// ddp_trainer: starts ranks (--nproc) or is one of them. Exit codes: 0 trained, 1 failed, 2 wrong usage; a
// launcher returns the code of the rank that failed first.
#include "algorithm.h"
#include "failure.h"
#include "fault.h"
#include "launcher.h"
#include "nvtx_range.h"
#include "rank.h"
#include "result_file.h"

#include <fmt/format.h>

#include <cstdio>

namespace {

using namespace ringside::trainer;

void checkResultFiles(const Options& options)
{
    for (const std::string& path : {options.jsonPath, options.parametersPath}) {
        if (!path.empty())
            checkWritable(path);
    }
}

/// Returns the identity of this process. Throws Failure for errors of the command line, so that the launcher
/// reports them once instead of every rank.
RankIdentity checkedIdentity(const Options& options)
{
    RankIdentity identity;
    if (options.processes > 0) {
        identity.worldSize = options.processes;
        identity.masterPort = masterPortFrom(environmentVariable);
    } else {
        identity = identityFrom(environmentVariable);
    }
    checkAgainstWorld(options, identity.worldSize);
    static_cast<void>(hooksFor(options, identity)); // reports errors once, before ranks exist
    chooseAlgorithm(options);
    if (identity.rank == 0)
        checkResultFiles(options);
    return identity;
}

/// Prints an error. Does not throw, also if stderr is closed.
int printError(const std::exception& error, int code)
{
    std::fprintf(stderr, "ddp_trainer: %s\n", error.what());
    return code;
}

int run(int argc, char** argv)
{
    const ParsedOptions parsed = parseOptions(argc, argv);
    if (parsed.leave)
        return parsed.exitCode;
    const Options& options = parsed.options;
    NvtxRange::setPushed(options.ranges);
    if (options.listFaults) {
        fmt::print("{}", describeFaults());
        return 0;
    }
    RankIdentity identity;
    try {
        identity = checkedIdentity(options);
    } catch (const std::exception& error) {
        return printError(error, 2);
    }
    try {
        if (options.processes > 0)
            return launchRanks(options.processes, argumentsForRanks(argc, argv));
        runRank(options, identity);
        return 0;
    } catch (const std::exception& error) {
        return printError(std::runtime_error(fmt::format("rank {}: {}", identity.rank, error.what())), 1);
    }
}

} // namespace

int main(int argc, char** argv)
{
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        return printError(error, 1);
    }
}
