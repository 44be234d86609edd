// SPDX-License-Identifier: Apache-2.0
#include "rank.h"

#include "models/models.h"
#include "result.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace ringside::trainer {
namespace {

int chooseDevice(unsigned localRank)
{
    int devices = 0;
    RS_CHECK(cudaGetDeviceCount(&devices));
    if (localRank >= static_cast<unsigned>(devices))
        throw Failure(fmt::format("local rank {} has no GPU: there are {}; start fewer ranks on this host",
                                  localRank, devices));
    RS_CHECK(cudaSetDevice(static_cast<int>(localRank)));
    return static_cast<int>(localRank);
}

/// Called before there is a watchdog, because both read the channel.
ncclUniqueId agreeOnId(const RankIdentity& identity, ControlChannel& channel)
{
    Token token{};
    ncclUniqueId id;
    static_assert(sizeof id == sizeof token);
    if (identity.rank == 0) {
        RS_CHECK(ncclGetUniqueId(&id));
        std::memcpy(token.data(), &id, sizeof id);
    }
    token = channel.broadcast(token);
    std::memcpy(&id, token.data(), sizeof id);
    return id;
}

Communicator connect(const RankIdentity& identity, const ncclUniqueId& id)
{
    ncclComm_t communicator = nullptr;
    RS_CHECK(ncclCommInitRank(&communicator, static_cast<int>(identity.worldSize), id,
                              static_cast<int>(identity.rank)));
    return Communicator(communicator);
}

void introduceBuckets(const std::vector<Bucket>& buckets)
{
    std::vector<std::string> sizes;
    for (const Bucket& bucket : buckets)
        sizes.push_back(fmt::format("{:.2f}", static_cast<double>(bucket.bytes) / (1U << 20)));
    if (sizes.size() > 8)
        sizes.resize(8, "..."), sizes.back() = "...";
    fmt::print("{} gradient buckets, MiB: {}\n", buckets.size(), fmt::join(sizes, " "));
}

void introduce(const Options& options, const Trainer& trainer, unsigned worldSize)
{
    const unsigned devices = devicesInAll(options, worldSize);
    const char* const unit = options.parallel == "ddp" ? "rank" : "device";
    fmt::print("{}, {} parameters, {} {}{}, batch {} ({} a {}), seed {}\n", modelFor(options).description,
               trainer.network().parameters().size(), devices, unit, devices == 1 ? "" : "s", options.batch,
               options.batch / devices, unit, options.seed);
    if (trainer.reducer() != nullptr)
        introduceBuckets(trainer.reducer()->buckets());
    else
        fmt::print("{}\n", options.parallel == "dp" ? "one process for all devices, as DataParallel"
                                                    : "one device, no communication");
    std::fflush(stdout);
}

void train(const Options& options, const RankIdentity& identity, const Hooks& hooks, ControlChannel& channel)
{
    std::unique_ptr<Watchdog> watchdog;
    try {
        const int device = chooseDevice(identity.localRank);
        std::optional<ncclUniqueId> id; // empty for a process that trains alone
        if (options.parallel == "ddp")
            id = agreeOnId(identity, channel);
        watchdog =
            std::make_unique<Watchdog>(channel, identity.rank, std::chrono::seconds(options.timeoutSeconds));
        watchdog->progress("connecting NCCL");
        const Communicator communicator = id ? connect(identity, *id) : Communicator();
        watchdog->watch(communicator.get());
        Trainer trainer(options, identity, device, hooks, communicator.get(), *watchdog);
        if (identity.rank == 0)
            introduce(options, trainer, identity.worldSize);
        const TrainingResult result = trainer.run();
        watchdog->watch(nullptr);
        if (identity.rank == 0)
            reportResult(result, options, identity.worldSize);
    } catch (const std::exception& error) {
        // Prints first: as soon as the others know, they give up, and then the watchdog ends this process.
        fmt::print(stderr, "ddp_trainer: rank {}: {}\n", identity.rank, error.what());
        channel.announceFailure(error.what());
        _exit(1);
    }
    watchdog.reset();
    channel.finish();
}

} // namespace

void runRank(const Options& options, const RankIdentity& identity)
{
    const Hooks hooks = hooksFor(options, identity);
    ControlChannel channel(identity, std::chrono::seconds(options.timeoutSeconds));
    train(options, identity, hooks, channel);
}

} // namespace ringside::trainer
