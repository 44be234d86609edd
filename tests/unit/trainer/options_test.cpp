// SPDX-License-Identifier: Apache-2.0
#include "failure.h"
#include "gradient_format.h"
#include "options.h"

#include <gtest/gtest.h>

using namespace ringside::trainer;

namespace {

ParsedOptions parse(std::vector<const char*> arguments)
{
    arguments.insert(arguments.begin(), "ddp_trainer");
    return parseOptions(static_cast<int>(arguments.size()), arguments.data());
}

} // namespace

TEST(Options, haveTheDefaultsOfDdp)
{
    const Options options = parse({}).options;
    EXPECT_EQ(options.bucketCapMb, 25);
    EXPECT_EQ(options.gradients, "fp32");
    EXPECT_EQ(options.processes, 0U);
    EXPECT_EQ(options.checkpointActivations, 0U);
    EXPECT_EQ(options.algorithm, "");
    EXPECT_TRUE(options.faults.empty());
}

TEST(Options, chooseHowDevicesWorkTogether)
{
    EXPECT_EQ(parse({}).options.parallel, "ddp");
    const Options dp = parse({"--parallel", "dp", "--devices", "4"}).options;
    EXPECT_EQ(devicesInAll(dp, 1), 4U);
    EXPECT_EQ(devicesInAll(parse({"--nproc", "3"}).options, 3), 3U);
    EXPECT_EQ(devicesInAll(parse({"--parallel", "single"}).options, 1), 1U);
    EXPECT_EQ(parse({"--parallel", "mpi"}).exitCode, 2);
    EXPECT_EQ(parse({"--parallel", "dp"}).exitCode, 2) << "how many devices?";
    EXPECT_EQ(parse({"--parallel", "dp", "--devices", "1"}).exitCode, 2);
    EXPECT_EQ(parse({"--devices", "2"}).exitCode, 2);
    for (const char* parallel : {"dp", "single"}) {
        std::vector<const char*> common = {"--parallel", parallel};
        if (parallel == std::string("dp"))
            common.insert(common.end(), {"--devices", "2"});
        for (const auto& [option, value] :
             {std::pair("--nproc", "2"), std::pair("--bucket-cap-mb", "1"), std::pair("--gradients", "fp16"),
              std::pair("--algorithm", "tree"), std::pair("--fault", "no_overlap")}) {
            std::vector<const char*> arguments = common;
            arguments.insert(arguments.end(), {option, value});
            EXPECT_EQ(parse(arguments).exitCode, 2) << parallel << ' ' << option;
        }
    }
}

TEST(Options, takeSeveralFaults)
{
    const ParsedOptions parsed = parse({"--fault", "late_rank:rank=2,ms=15", "--fault", "small_buckets"});
    EXPECT_FALSE(parsed.leave);
    EXPECT_EQ(parsed.options.faults, (std::vector<std::string>{"late_rank:rank=2,ms=15", "small_buckets"}));
}

TEST(Options, refuseWhatTheyDoNotKnow)
{
    EXPECT_EQ(parse({"--speed", "high"}).exitCode, 2);
    EXPECT_EQ(parse({"--steps", "0"}).exitCode, 2);
    EXPECT_EQ(parse({"--steps", "many"}).exitCode, 2);
    EXPECT_EQ(parse({"--nproc", "0"}).exitCode, 2);
    EXPECT_EQ(parse({"--bucket-cap-mb", "-1"}).exitCode, 2);
    EXPECT_EQ(parse({"--help"}).exitCode, 0);
    EXPECT_TRUE(parse({"--help"}).leave);
}

TEST(Options, chooseHowGradientsTravel)
{
    for (const char* format : {"fp32", "fp16", "bf16", "topk:0.01", "topk:1"})
        EXPECT_EQ(parse({"--gradients", format}).options.gradients, format);
    for (const char* format : {"int8", "topk", "topk:", "topk:0", "topk:-0.1", "topk:1.01", "topk:nan",
                               "topk:0.1x", "topk:1%", "TOPK:0.1", ""})
        EXPECT_EQ(parse({"--gradients", format}).exitCode, 2) << format;
}

TEST(Options, takeTheGradientsFormatApart)
{
    EXPECT_EQ(readGradientFormat("bf16")->type, "bf16");
    EXPECT_EQ(readGradientFormat("bf16")->kind, GradientFormat::Kind::AllReduce);
    EXPECT_EQ(readGradientFormat("topk:0.25")->kind, GradientFormat::Kind::TopK);
    EXPECT_EQ(readGradientFormat("topk:0.25")->share, 0.25);
}

TEST(Options, chooseThePrecision)
{
    EXPECT_EQ(parse({}).options.precision, "fp32");
    for (const char* precision : {"fp32", "bf16", "fp16"})
        EXPECT_EQ(parse({"--precision", precision}).options.precision, precision);
    EXPECT_EQ(parse({"--precision", "int8"}).exitCode, 2);
}

TEST(Options, refuseMixedPrecisionInOneProcessForSeveralDevices)
{
    for (const std::string precision : {"bf16", "fp16"}) {
        testing::internal::CaptureStderr();
        const ParsedOptions parsed =
            parse({"--precision", precision.c_str(), "--parallel", "dp", "--devices", "2"});
        const std::string said = testing::internal::GetCapturedStderr();
        EXPECT_EQ(parsed.exitCode, 2);
        EXPECT_NE(said.find("--precision: " + precision + " belongs to --parallel ddp or single"),
                  std::string::npos)
            << said;
        EXPECT_FALSE(parse({"--precision", precision.c_str(), "--parallel", "single"}).leave);
    }
    EXPECT_FALSE(parse({"--precision", "fp32", "--parallel", "dp", "--devices", "2"}).leave);
}

TEST(Options, scaleTheLossOfHalfPrecisionOnly)
{
    EXPECT_EQ(parse({"--precision", "fp16", "--loss-scale", "1024"}).options.lossScale, 1024);
    EXPECT_EQ(parse({"--precision", "bf16", "--loss-scale", "1024"}).exitCode, 2);
    EXPECT_EQ(parse({"--loss-scale-interval", "10"}).exitCode, 2);
    for (const char* scale : {"0", "-1", "nan", "inf"})
        EXPECT_EQ(parse({"--precision", "fp16", "--loss-scale", scale}).exitCode, 2) << scale;
}

TEST(Options, refuseToKeepGradientsThatOverflow)
{
    EXPECT_EQ(parse({"--precision", "fp16", "--gradients", "topk:0.1"}).exitCode, 2);
    EXPECT_FALSE(parse({"--precision", "bf16", "--gradients", "topk:0.1"}).leave);
}

TEST(Options, chooseTheModel)
{
    EXPECT_EQ(parse({}).options.model, "mlp");
    EXPECT_EQ(parse({"--model", "convnet"}).options.model, "convnet");
    EXPECT_EQ(parse({"--model", "widemlp"}).options.model, "widemlp");
    EXPECT_EQ(parse({"--model", "transformer"}).options.model, "transformer");
    EXPECT_EQ(parse({"--model", "diffusion"}).exitCode, 2);
}

TEST(Options, refuseWhatTheModelDoesNotHave)
{
    EXPECT_FALSE(parse({"--model", "mlp", "--hidden", "8", "--layers", "2"}).leave);
    EXPECT_EQ(parse({"--model", "convnet", "--hidden", "8"}).exitCode, 2);
    EXPECT_EQ(parse({"--layers", "2", "--model", "convnet"}).exitCode, 2);
}

TEST(Options, chooseTheOptimizer)
{
    EXPECT_EQ(parse({}).options.optimizer, "sgd");
    EXPECT_EQ(parse({"--optimizer", "adam"}).options.optimizer, "adam");
    EXPECT_EQ(parse({"--optimizer", "lion"}).exitCode, 2);
    EXPECT_EQ(parse({"--optimizer", "adam", "--momentum", "0.5"}).exitCode, 2);
}

TEST(Options, refuseRatesThatAreNoNumbers)
{
    for (const char* rate : {"nan", "inf", "-1", "0", "1e60", "1e-60", "fast"})
        EXPECT_EQ(parse({"--lr", rate}).exitCode, 2) << rate;
    for (const char* momentum : {"nan", "-0.1", "1.1"})
        EXPECT_EQ(parse({"--momentum", momentum}).exitCode, 2) << momentum;
    EXPECT_EQ(parse({"--lr", "0.5"}).options.lr, 0.5F);
    for (const char* size : {"nan", "inf", "0", "1e300"})
        EXPECT_EQ(parse({"--bucket-cap-mb", size}).exitCode, 2) << size;
}

TEST(Options, loadAsTheDataLoaderDoes)
{
    EXPECT_EQ(parse({}).options.workers, 1U);
    EXPECT_EQ(parse({"--workers", "0"}).options.workers, 0U);
    EXPECT_EQ(parse({"--workers", "257"}).exitCode, 2);
    EXPECT_TRUE(parse({}).options.pinMemory);
    EXPECT_TRUE(parse({"--pin-memory"}).options.pinMemory);
    EXPECT_FALSE(parse({"--no-pin-memory"}).options.pinMemory);
}

TEST(Options, searchForUnusedParametersOnlyOnRequest)
{
    EXPECT_FALSE(parse({}).options.findUnusedParameters);
    EXPECT_FALSE(parse({}).options.staticGraph);
    EXPECT_TRUE(parse({"--find-unused-parameters"}).options.findUnusedParameters);
    EXPECT_TRUE(parse({"--static-graph"}).options.staticGraph);
}

TEST(Options, scaleTheRateOfSgd)
{
    EXPECT_TRUE(parse({"--scale-lr"}).options.scaleLr);
    EXPECT_EQ(parse({"--scale-lr", "--optimizer", "adam"}).exitCode, 2);
}

TEST(Options, refuseCountsBelowZero)
{
    for (const char* name : {"--workers", "--seed", "--samples", "--warmup", "--eval"})
        EXPECT_EQ(parse({name, "-1"}).exitCode, 2) << name;
}

TEST(Options, countInTensAlsoAfterAZero)
{
    EXPECT_EQ(parse({"--steps", "010"}).options.steps, 10U);
    EXPECT_EQ(parse({"--steps=0019"}).options.steps, 19U);
    EXPECT_EQ(parse({"--seed", "00"}).options.seed, 0U);
    EXPECT_EQ(parse({"--json", "007"}).options.jsonPath, "007");
    EXPECT_EQ(parse({"--steps", "0"}).exitCode, 2);
}

TEST(Options, refuseToBeGivenTwice)
{
    EXPECT_EQ(parse({"--steps", "2", "--steps=3"}).exitCode, 2);
    EXPECT_EQ(parse({"--model", "convnet", "--model", "convnet"}).exitCode, 2);
}

TEST(Options, refuseABatchThatDoesNotDivide)
{
    const Options options = parse({"--batch", "10"}).options;
    EXPECT_NO_THROW(checkAgainstWorld(options, 5));
    EXPECT_THROW(checkAgainstWorld(options, 4), Failure);
}

TEST(Options, refuseLessDataThanABatch)
{
    EXPECT_THROW(checkAgainstWorld(parse({"--batch", "64", "--samples", "63"}).options, 1), Failure);
}

TEST(Options, goToTheRanksWithoutNproc)
{
    const char* arguments[] = {"t", "--nproc", "4", "--steps", "7", "--nproc=2"};
    EXPECT_EQ(argumentsForRanks(6, arguments), (std::vector<std::string>{"t", "--steps", "7"}));
}
