// SPDX-License-Identifier: Apache-2.0
// `ringside probe`: measures the network between hosts before a run. It is the only command that sends
// traffic. Its bytes and time are bounded. It must not be used on hosts on which a job runs.
#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/standard_streams.h"
#include "cli/terminal.h"
#include "probe/all_reduce.h"
#include "probe/campaign.h"
#include "probe/judge.h"
#include "probe/keep.h"
#include "values/parse_number.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <memory>

namespace ringside::cli::command_probe {
namespace {

struct Options {
    probe::Campaign campaign;
    std::vector<std::string> follow; ///< address, port and token of the leader
    std::string format = "text";
    std::string into;            ///< run directory; empty: results are not stored
    std::uint64_t mebibytes = 0; ///< 0: the default of each kind of probe
    bool allReduce = false;
    bool failOnOutlier = false;
    std::string with = "ringside"; ///< what measures RDMA
};

template <class Found>
void keep(const Options& options, const Found& found)
{
    if (!options.into.empty()) {
        probe::storeIn(options.into, found);
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
        const auto port = values::parseNumber<std::uint16_t>(options.follow[1]);
        if (!port) {
            throw Error(ErrorCode::Usage, "the second value of --follow is not a port");
        }
        probe::follow({{options.follow[0], *port}, options.follow[2]});
        return kPass;
    }
    if (!options.into.empty()) {
        probe::checkRun(options.into);
    }
    if (options.allReduce) {
        return runAllReduce(options);
    }
    if (options.campaign.launchers.empty()) {
        throw Error(ErrorCode::Usage, "probe does not know what to measure",
                    "Give --hosts for the network between hosts, or --all-reduce for the GPUs of this host.");
    }
    if (options.campaign.hosts == 0) {
        options.campaign.hosts = options.campaign.launchers.size();
    }
    if (options.mebibytes > 0) {
        options.campaign.bounds.bytes = options.mebibytes << 20U;
    }
    options.campaign.perftest = options.with == "perftest";
    const probe::Matrix matrix = probe::lead(options.campaign);
    keep(options, matrix);
    const probe::Verdict verdict = probe::judge(matrix);
    printResult(options.format == "json" ? probe::jsonOf(matrix, verdict)
                                         : probe::textOf(matrix, verdict, proseWidth()));
    const bool whole = verdict.outliers.empty() && matrix.leftOut.empty();
    return options.failOnOutlier && !whole ? kFindings : kPass;
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    CLI::Option* const hosts = app.add_option("--hosts", options->campaign.launchers,
                                              "Command that starts programs on hosts, such as \"srun "
                                              "--ntasks-per-node=1\" (with --count) or \"ssh "
                                              "node7\"; repeatable")
                                   ->type_name("LAUNCHER")
                                   ->take_all();
    app.add_option("--count", options->campaign.hosts,
                   "Number of hosts on which these commands start it; default: one for each command")
        ->type_name("N")
        ->transform(wholeNumber(2, 4096));
    app.add_option(
           "--patience", options->campaign.patienceS,
           "Seconds in which all hosts must answer; those that do not, or whose command fails, are left "
           "out and named")
        ->type_name("SECONDS")
        ->transform(wholeNumber(1, 86'400))
        ->capture_default_str();
    app.add_option("--leader", options->campaign.leader,
                   "Address under which the other hosts reach this host; default: its host name")
        ->type_name("ADDRESS");
    app.add_option("--mib", options->mebibytes,
                   "Limit in MiB. Between hosts: for each direction of a pair, for at most a second, over "
                   "TCP and, if both "
                   "have a port that NCCL would use, over RDMA (default 32). With --all-reduce: the largest "
                   "size (default 256)")
        ->type_name("N")
        ->transform(wholeNumber(1, 1024));
    app.add_flag("--all-reduce", options->allReduce,
                 "Measure all-reduces over all GPUs of this host instead, with the NCCL that a program "
                 "started here "
                 "would load")
        ->excludes(hosts);
    app.add_option("--with", options->with,
                   "What measures RDMA: perftest needs ib_write_lat and ib_write_bw on all hosts, and IPv4")
        ->check(CLI::IsMember({"ringside", "perftest"}))
        ->capture_default_str();
    app.add_option("--format", options->format, "Output format")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    app.add_option("--into", options->into,
                   "Run directory in which the results are stored; its report compares the run with them")
        ->type_name("RUN");
    app.add_flag("--fail-on-outlier", options->failOnOutlier,
                 "Exit with 1 if a direction is an outlier, or a host was left out");
    app.add_option("--follow", options->follow,
                   "Follow a leader (used by the launcher): its ADDRESS PORT TOKEN")
        ->expected(3)
        ->group("") // used between processes of this program
        ->excludes(hosts);
    return [options] { return run(*options); };
}

constexpr std::array<Example, 2> kExamples{{
    {"ringside probe --hosts \"ssh node1\" --hosts \"ssh node2\"",
     "Measures bandwidth and latency between two hosts."},
    {"ringside probe --all-reduce", "Measures all-reduces over the GPUs of this host."},
}};

} // namespace

RINGSIDE_COMMAND(probe, .summary = "Measure the network between hosts before a run", .group = Group::Check,
                 .examples = kExamples, .gate = {.option = "--fail-on-outlier"}, .declare = declare);

} // namespace ringside::cli::command_probe
