// SPDX-License-Identifier: Apache-2.0
// `ringside probe`: measures the network between hosts before a run. The only command that makes traffic; it
// is asked for by name, bounded in bytes and time, and not for hosts that a job is running on.
#include "cli/command.h"
#include "cli/standard_streams.h"
#include "cli/terminal.h"
#include "probe/all_reduce.h"
#include "probe/campaign.h"
#include "probe/keep.h"

#include <fmt/format.h>

#include <memory>

namespace ringside::cli::command_probe {
namespace {

struct Options {
    probe::Campaign campaign;
    std::vector<std::string> follow; ///< address, port, token of a leader
    std::string format = "text";
    std::string into;            ///< run directory; empty: nothing is kept
    std::uint64_t mebibytes = 0; ///< 0: what each kind of probe does by itself
    bool allReduce = false;
    bool failOnOutlier = false;
};

template <class Found>
void keep(const Options& options, const Found& found)
{
    if (!options.into.empty()) {
        probe::keepIn(options.into, found);
    }
}

int runAllReduce(const Options& options)
{
    probe::CurveBounds bounds;
    bounds.mostBytes = options.mebibytes > 0 ? options.mebibytes << 20U : bounds.mostBytes;
    const probe::AllReduceCurve curve = probe::measureAllReduce(bounds);
    keep(options, curve);
    printResult(options.format == "json" ? probe::jsonOf(curve) : probe::textOf(curve));
    return kPass;
}

int run(Options& options)
{
    if (!options.follow.empty()) {
        const auto port = static_cast<std::uint16_t>(std::strtoul(options.follow[1].c_str(), nullptr, 10));
        probe::follow({{options.follow[0], port}, options.follow[2]});
        return kPass;
    }
    if (!options.into.empty()) {
        probe::checkRun(options.into);
    }
    if (options.allReduce) {
        return runAllReduce(options);
    }
    if (options.campaign.hosts == 0) {
        options.campaign.hosts = options.campaign.launchers.size();
    }
    if (options.mebibytes > 0) {
        options.campaign.bounds.bytes = options.mebibytes << 20U;
    }
    const probe::Matrix matrix = probe::lead(options.campaign);
    keep(options, matrix);
    const probe::Verdict verdict = probe::judge(matrix);
    printResult(options.format == "json" ? probe::jsonOf(matrix, verdict)
                                         : probe::textOf(matrix, verdict, proseWidth()));
    return options.failOnOutlier && !verdict.outliers.empty() ? kFindings : kPass;
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    CLI::Option* const hosts = app.add_option("--hosts", options->campaign.launchers,
                                              "A command that starts programs on hosts, such as \"srun "
                                              "--ntasks-per-node=1\" (with --count) or \"ssh "
                                              "node7\"; may be given several times")
                                   ->type_name("LAUNCHER")
                                   ->take_all();
    app.add_option("--count", options->campaign.hosts,
                   "How many hosts those commands start it on; else one each")
        ->type_name("N")
        ->check(CLI::Range(2, 4096));
    app.add_option("--leader", options->campaign.leader,
                   "Address of this host that the others reach; else its host name")
        ->type_name("ADDRESS");
    app.add_option(
           "--mib", options->mebibytes,
           "To send at most in each direction of a pair, for at most a second, over TCP and, where both "
           "have a port that NCCL would take, over RDMA (32); or the largest all-reduce (256)")
        ->type_name("N")
        ->check(CLI::Range(1, 1024));
    app.add_flag("--all-reduce", options->allReduce,
                 "Instead: all-reduces over all GPUs of this host, by the NCCL that a program started here "
                 "would load")
        ->excludes(hosts);
    app.add_option("--format", options->format, "How to print it")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    app.add_option("--into", options->into,
                   "Run directory that gets the figures, for its report to hold the run against")
        ->type_name("RUN");
    app.add_flag("--fail-on-outlier", options->failOnOutlier, "Exit with 1 when a direction stands out");
    app.add_option("--follow", options->follow, "What the launcher starts: ADDRESS PORT TOKEN of the leader")
        ->expected(3)
        ->group("") // between our own processes
        ->excludes(hosts);
    app.require_option(1, 0);
    return [options] { return run(*options); };
}

constexpr std::array<Example, 2> kExamples{{
    {"ringside probe --hosts \"ssh node1\" --hosts \"ssh node2\"",
     "Bandwidth and latency between two hosts."},
    {"ringside probe --all-reduce", "All-reduces over the GPUs of this host."},
}};

} // namespace

RINGSIDE_COMMAND(probe, .summary = "Measure the network between hosts before a run", .group = Group::Check,
                 .examples = kExamples, .gate = {.option = "--fail-on-outlier"}, .declare = declare);

} // namespace ringside::cli::command_probe
