// SPDX-License-Identifier: Apache-2.0
#include "probe/interface_choice.h"
#include "probe/judge.h"
#include "probe/matrix.h"
#include "probe/message.h"
#include "probe/rdma_round.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

namespace ringside::probe {
namespace {

TEST(Tournament, EveryPairIsMeasuredOnceAndNoHostTwiceInARound)
{
    for (std::size_t hosts = 0; hosts < 18; ++hosts) {
        std::set<std::pair<std::size_t, std::size_t>> met;
        const auto rounds = roundRobin(hosts);
        for (const auto& round : rounds) {
            std::set<std::size_t> playing;
            for (const auto& [one, other] : round) {
                EXPECT_LT(one, other);
                EXPECT_LT(other, hosts);
                EXPECT_TRUE(playing.insert(one).second && playing.insert(other).second) << hosts;
                EXPECT_TRUE(met.emplace(one, other).second) << hosts;
            }
        }
        EXPECT_EQ(met.size(), hosts * (hosts - (hosts > 0 ? 1 : 0)) / 2);
        EXPECT_LE(rounds.size(), hosts);
    }
}

Matrix evenMatrix(std::size_t hosts)
{
    Matrix matrix;
    for (std::size_t i = 0; i < hosts; ++i) {
        matrix.hosts.push_back("h" + std::to_string(i));
        matrix.interfaces.emplace_back("eth0");
    }
    const Measurement usual{50, 90, 10, 1 << 25, 0, 0, 0};
    matrix.directions.assign(hosts, std::vector<std::optional<Measurement>>(hosts, usual));
    matrix.rdmaEnds.assign(hosts, {{}, "no RDMA device"});
    matrix.rdma.assign(hosts, std::vector<RdmaDirection>(hosts, {{}, "h0: no RDMA device"}));
    return matrix;
}

Matrix evenRdmaMatrix(std::size_t hosts, std::size_t rails = 1, double mbps = 0)
{
    Matrix matrix = evenMatrix(hosts);
    RdmaEnd end;
    RdmaDirection direction;
    for (std::size_t i = 0; i < rails; ++i) {
        end.rails.push_back({"mlx5_" + std::to_string(i) + ":1", mbps});
        direction.rails.push_back({{i, i}, {RdmaMeasurement{3, 5, 180, 1 << 25, 0}, ""}});
    }
    matrix.rdmaEnds.assign(hosts, end);
    matrix.rdma.assign(hosts, std::vector<RdmaDirection>(hosts, direction));
    return matrix;
}

/// What was measured over a rail.
RdmaMeasurement& over(Matrix& matrix, std::size_t sender, std::size_t receiver, std::size_t rail = 0)
{
    return *matrix.rdma[sender][receiver].rails[rail].result.measured;
}

TEST(ProbeVerdict, ReportsNothingForEqualHosts)
{
    EXPECT_TRUE(judge(evenMatrix(4)).outliers.empty());
    EXPECT_TRUE(judge(evenMatrix(0)).outliers.empty());
}

TEST(ProbeVerdict, NamesTheDirectionAndWhy)
{
    Matrix matrix = evenMatrix(4);
    matrix.directions[1][3]->gbps = 2;
    matrix.directions[2][0] = Measurement{50, 90, 3, 1, 0, 0.6, 0};
    matrix.directions[0][2] = Measurement{50, 90, 3, 1, 900, 0, 0};
    matrix.directions[3][2]->roundTripUs = 900;
    matrix.directions[3][1].reset();
    const Verdict verdict = judge(matrix);
    ASSERT_EQ(verdict.outliers.size(), 5U);
    EXPECT_EQ(verdict.outliers[0].cause, Cause::Loss);
    EXPECT_EQ(verdict.outliers[1].cause, Cause::Bandwidth);
    EXPECT_EQ(verdict.outliers[1].sender, 1U);
    EXPECT_EQ(verdict.outliers[1].receiver, 3U);
    EXPECT_EQ(verdict.outliers[2].cause, Cause::ReceiveBuffer);
    EXPECT_EQ(verdict.outliers[3].cause, Cause::Unreachable);
    EXPECT_EQ(verdict.outliers[4].cause, Cause::Latency);
}

TEST(ProbeVerdict, DistinguishesRdmaFromTcpWithTheReason)
{
    EXPECT_TRUE(judge(evenRdmaMatrix(4)).outliers.empty());
    Matrix matrix = evenRdmaMatrix(4);
    over(matrix, 0, 1).gbps = 20;
    over(matrix, 0, 2) = RdmaMeasurement{3, 5, 20, 1, 900};
    over(matrix, 1, 0) = RdmaMeasurement{900, 950, 20, 1, 0}; // late, and therefore slow
    matrix.rdma[2][3].rails[0].result = {std::nullopt, "the other adapter did not answer"};
    const Verdict verdict = judge(matrix);
    ASSERT_EQ(verdict.outliers.size(), 4U);
    EXPECT_EQ(verdict.outliers[0].cause, Cause::Bandwidth);
    EXPECT_EQ(verdict.outliers[1].cause, Cause::Loss);
    EXPECT_EQ(verdict.outliers[2].cause, Cause::Latency);
    EXPECT_EQ(verdict.outliers[3].cause, Cause::Unreachable);
    EXPECT_EQ(verdict.outliers[3].what, "h2 -> h3 over RDMA: the other adapter did not answer");
    for (const Outlier& each : verdict.outliers) {
        EXPECT_EQ(each.network, Network::Rdma);
    }
    EXPECT_TRUE(verdict.hosts.empty());
}

TEST(ProbeVerdict, ReportsLossOverRdmaEvenIfItWasFast)
{
    Matrix matrix = evenRdmaMatrix(3);
    over(matrix, 1, 0).lost = 17;
    const Verdict verdict = judge(matrix);
    ASSERT_EQ(verdict.outliers.size(), 1U);
    EXPECT_EQ(verdict.outliers[0].cause, Cause::Loss);
    EXPECT_NE(verdict.outliers[0].what.find("17 packets were sent again"), std::string::npos);
}

TEST(ProbeVerdict, DoesNotSayNothingWasLostWhereSomeWas)
{
    Matrix matrix = evenRdmaMatrix(4);
    over(matrix, 0, 1) = RdmaMeasurement{3, 5, 20, 1, 2};
    matrix.directions[1][3] = Measurement{50, 90, 2, 1, 3, 0, 0};
    const Verdict verdict = judge(matrix);
    ASSERT_EQ(verdict.outliers.size(), 2U);
    EXPECT_NE(verdict.outliers[0].what.find("only 2 packets were sent again"), std::string::npos);
    EXPECT_NE(verdict.outliers[1].what.find("only 3 packets were sent again"), std::string::npos);
}

TEST(ProbeVerdict, OfTwoHostsComparesTheDirectionsOfTheirCable)
{
    Matrix matrix = evenRdmaMatrix(2);
    EXPECT_TRUE(judge(matrix).outliers.empty());
    over(matrix, 0, 1).gbps = 20;
    matrix.directions[1][0]->gbps = 1;
    const Verdict verdict = judge(matrix);
    ASSERT_EQ(verdict.outliers.size(), 2U);
    EXPECT_EQ(verdict.outliers[0].cause, Cause::Bandwidth);
    EXPECT_EQ(verdict.outliers[0].network, Network::Rdma);
    EXPECT_NE(verdict.outliers[0].what.find("the other direction has 180.00"), std::string::npos);
    EXPECT_EQ(verdict.outliers[1].cause, Cause::Bandwidth);
    EXPECT_NE(verdict.outliers[1].what.find("1.00 Gb/s, the other direction has 10.00"), std::string::npos);
    EXPECT_TRUE(verdict.hosts.empty()) << "either end may be at fault";
    over(matrix, 0, 1).lost = 900;
    EXPECT_EQ(judge(matrix).outliers[0].cause, Cause::Loss);
}

TEST(ProbeVerdict, OfTwoHostsTellsDelayAndLossByThemselves)
{
    Matrix matrix = evenMatrix(2);
    matrix.directions[0][1]->roundTripUs = 20'000;
    ASSERT_EQ(judge(matrix).outliers.size(), 1U);
    EXPECT_EQ(judge(matrix).outliers[0].cause, Cause::Latency);
    matrix = evenMatrix(2);
    matrix.directions[0][1]->roundTripP99Us = 210'000;
    EXPECT_TRUE(judge(matrix).outliers.empty()) << "nothing was sent again: the processor was busy";
    matrix.directions[0][1]->retransmits = 3;
    ASSERT_EQ(judge(matrix).outliers.size(), 1U);
    EXPECT_EQ(judge(matrix).outliers[0].cause, Cause::Loss);
    EXPECT_NE(judge(matrix).outliers[0].what.find("takes 210 ms"), std::string::npos);
}

TEST(ProbeVerdict, ASlowDirectionMayBeFarAway)
{
    Matrix matrix = evenMatrix(4);
    matrix.directions[0][1] = Measurement{900, 950, 2, 1, 0, 0, 0};
    const Verdict verdict = judge(matrix);
    ASSERT_EQ(verdict.outliers.size(), 2U);
    EXPECT_EQ(verdict.outliers[0].cause, Cause::Bandwidth);
    EXPECT_EQ(verdict.outliers[1].cause, Cause::Latency);
}

TEST(ProbeVerdict, WithoutRdmaDevicesReportsThatItWasNotMeasured)
{
    const Matrix matrix = evenMatrix(3);
    const Verdict verdict = judge(matrix);
    EXPECT_FALSE(verdict.medianWriteUs.has_value());
    const std::string text = textOf(matrix, verdict, 110);
    EXPECT_NE(text.find("h1: RDMA not measured: no RDMA device\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("RDMA bandwidth"), std::string::npos) << text;
    const Message json = Message::parse(jsonOf(matrix, verdict));
    EXPECT_TRUE(json["median_rdma_gbps"].is_null());
    EXPECT_TRUE(json["directions"][0]["rdma"].is_null());
    EXPECT_EQ(json["directions"][0]["rdma_reason"], "h0: no RDMA device");
}

TEST(ProbeVerdict, ShowsRdmaBesideTcp)
{
    Matrix matrix = evenRdmaMatrix(3);
    over(matrix, 1, 2).lost.reset();
    const std::string text = textOf(matrix, judge(matrix), 110);
    EXPECT_NE(text.find("h0: RDMA port mlx5_0:1\n"), std::string::npos) << text;
    EXPECT_NE(text.find("180.00"), std::string::npos) << text;
    const Message json = Message::parse(jsonOf(matrix, judge(matrix)));
    EXPECT_EQ(json["directions"][0]["rdma"]["write_us"], 3.0);
    EXPECT_EQ(json["directions"][0]["rdma"]["packets_sent_again"], 0);
    EXPECT_TRUE(json["directions"][3]["rdma"]["packets_sent_again"].is_null());
    EXPECT_EQ(json["hosts"][2]["rdma_port"], "mlx5_0:1");
}

TEST(ProbeVerdict, BlamesAHostOnlyForMostOfItsDirections)
{
    Matrix matrix = evenMatrix(5);
    matrix.directions[1][2]->gbps = 1;
    EXPECT_TRUE(judge(matrix).hosts.empty());
    for (const std::size_t other : {0U, 2U, 3U, 4U}) {
        matrix.directions[1][other]->gbps = 1;
        matrix.directions[other][1]->gbps = 1;
    }
    EXPECT_EQ(judge(matrix).hosts, std::vector<std::size_t>{1});
}

TEST(ProbeInterface, IsTheOneThatNcclTakes)
{
    const std::vector<Interface> up = {{"lo", "127.0.0.1"},   {"docker0", "172.17.0.1"}, {"eth0", "10.0.0.1"},
                                       {"eth10", "10.0.1.1"}, {"eth0", "fd00::1", true}, {"ib0", "10.1.0.1"}};
    const auto taken = [&up](std::string_view names, std::string_view family = "") {
        const auto found = ncclWouldUse(up, names, family);
        return found ? found->address : std::string("none");
    };
    EXPECT_EQ(taken(""), "10.1.0.1");
    EXPECT_EQ(taken("eth"), "10.0.0.1");
    EXPECT_EQ(taken("=eth10"), "10.0.1.1");
    EXPECT_EQ(taken("^ib,docker,lo"), "10.0.0.1");
    EXPECT_EQ(taken("eth0", "AF_INET6"), "fd00::1");
    EXPECT_EQ(taken("wlan"), "none");
    EXPECT_EQ(ncclWouldUse({up[0], up[1]}, "", "")->name, "docker0");
    EXPECT_EQ(ncclWouldUse({up[0]}, "", "")->name, "lo");
    EXPECT_FALSE(ncclWouldUse({}, "", "").has_value());
}

TEST(TcpProbe, MeasuresWhatTheOtherSideReceived)
{
    const Descriptor listener = listenAt("127.0.0.1");
    bool served = false;
    std::thread server([&] { served = serveProbe(listener); });
    const auto measured = runProbe({"127.0.0.1", portOf(listener)}, {4U << 20U, 10'000, 20});
    server.join();
    EXPECT_TRUE(served);
    ASSERT_TRUE(measured.has_value());
    EXPECT_EQ(measured->bytes, 4U << 20U);
    EXPECT_GT(measured->gbps, 0);
    EXPECT_GT(measured->roundTripUs, 0);
    EXPECT_GE(measured->roundTripP99Us, measured->roundTripUs);
}

TEST(TcpProbe, WithoutAListenerIsNotMeasured)
{
    std::uint16_t port = 0;
    {
        port = portOf(listenAt("127.0.0.1"));
    }
    EXPECT_FALSE(runProbe({"127.0.0.1", port}, {}).has_value());
    EXPECT_FALSE(runProbe({"not an address", 1}, {}).has_value());
}

TEST(ProbeMessage, AStrangersSlowLineIsNotReadToItsEnd)
{
    using namespace std::chrono_literals;
    const Descriptor listener = listenAt("127.0.0.1");
    std::atomic<bool> hungUp = false;
    int said = 0;
    constexpr int kMost = 300; // each on its own well within any patience
    std::thread stranger([&] {
        const Descriptor line = connectTo({"127.0.0.1", portOf(listener)}, kPatience);
        for (; said < kMost && !hungUp && sendAll(line.number(), "x", 1); ++said) {
            std::this_thread::sleep_for(50ms);
        }
    });
    {
        LineConnection heard(acceptAt(listener, kPatience), 1s);
        EXPECT_EQ(heard.receiveLine(), std::nullopt);
        hungUp = true;
    }
    stranger.join();
    EXPECT_LT(said, kMost);
}

TEST(ProbeMessage, AStrangersMessagesAreIgnored)
{
    const Message message =
        Message::parse(R"({"token":7,"port":-1,"gbps":"fast","bytes":1e300,"nested":{}})");
    EXPECT_EQ(wordOf(message, "token"), "");
    EXPECT_EQ(wordOf(message, "absent"), "");
    EXPECT_EQ(numberOf(message, "port", std::uint16_t{65535}), 0);
    EXPECT_EQ(numberOf(message, "gbps", 1e12), 0);
    EXPECT_EQ(numberOf(message, "bytes", std::uint64_t{1} << 30U), std::uint64_t{1} << 30U);

    const Descriptor listener = listenAt("127.0.0.1");
    for (const std::string& line :
         {std::string("no json"), std::string("[1]"), std::string(100'000, 'x'), std::string(50'000, '[')}) {
        std::thread stranger([&] {
            const LineConnection connection(connectTo({"127.0.0.1", portOf(listener)}, kPatience));
            static_cast<void>(connection.sendLine(line));
        });
        LineConnection heard(acceptAt(listener, kPatience));
        EXPECT_FALSE(receiveMessage(heard).has_value());
        stranger.join();
    }
}

TEST(ProbedHost, IsNotAskedAgainOnceItDidNotAnswer)
{
    std::array<int, 2> ends{};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    ProbedHost host{"h0", "eth0", "10.0.0.1", 0, {}, LineConnection(Descriptor(ends[0])), false};
    {
        const LineConnection agent{Descriptor(ends[1])};
        EXPECT_TRUE(order(host, {{"do", "serve"}}));
        EXPECT_TRUE(sendMessage(agent, {{"port", 7}}));
        EXPECT_TRUE(answerOf(host).has_value());
    }
    EXPECT_FALSE(answerOf(host).has_value());
    EXPECT_TRUE(host.isGone);
    EXPECT_FALSE(order(host, {{"do", "serve"}}));
    EXPECT_FALSE(answerOf(host).has_value());
}

/// Two hosts of which both directions over RDMA have the same rate.
Matrix twoOverRdma(double gbps, double portMbps)
{
    Matrix matrix = evenRdmaMatrix(2, 1, portMbps);
    over(matrix, 0, 1).gbps = over(matrix, 1, 0).gbps = gbps;
    return matrix;
}

TEST(ProbeVerdict, ComparesTwoHostsWithTheirPortsRate)
{
    EXPECT_TRUE(judge(twoOverRdma(380, 400'000)).outliers.empty());
    const Verdict slow = judge(twoOverRdma(90, 400'000));
    ASSERT_EQ(slow.outliers.size(), 2U);
    EXPECT_NE(slow.outliers.front().what.find("22 % of the ports' 400 Gb/s"), std::string::npos)
        << slow.outliers.front().what;
    EXPECT_TRUE(judge(twoOverRdma(1, 10'000)).outliers.empty()) << "a rate that the kernel does not know";
    EXPECT_TRUE(judge(twoOverRdma(90, 0)).outliers.empty()) << "a rate that nobody told";
}

TEST(ProbeVerdict, NamesARailThatIsSlowerThanItsSiblings)
{
    Matrix matrix = evenRdmaMatrix(2, 2);
    EXPECT_TRUE(judge(matrix).outliers.empty());
    over(matrix, 0, 1, 1).gbps = over(matrix, 1, 0, 1).gbps = 20;
    const Verdict pair = judge(matrix);
    ASSERT_EQ(pair.outliers.size(), 2U);
    EXPECT_EQ(pair.outliers[0].rail, 1U);
    EXPECT_TRUE(pair.outliers[0].what.starts_with("h0 -> h1 over RDMA, rail mlx5_1:1: 20.00 Gb/s"))
        << pair.outliers[0].what;
    EXPECT_TRUE(pair.rails.empty()) << "of two hosts, either end may be it";
}

TEST(ProbeVerdict, NamesTheHostWhoseRailIsSlow)
{
    Matrix matrix = evenRdmaMatrix(4, 8, 400'000);
    for (std::size_t other : {0U, 1U, 3U}) {
        over(matrix, 2, other, 5).gbps = over(matrix, other, 2, 5).gbps = 45;
    }
    const Verdict verdict = judge(matrix);
    EXPECT_EQ(verdict.outliers.size(), 6U);
    EXPECT_EQ(verdict.rails, std::vector<std::string>{"h2 mlx5_5:1"});
    EXPECT_NE(textOf(matrix, verdict, 200).find("Check rail h2 mlx5_5:1 first"), std::string::npos);
    const Message json = Message::parse(jsonOf(matrix, verdict));
    EXPECT_EQ(json["look_at_rails"][0], "h2 mlx5_5:1");
    EXPECT_EQ(json["hosts"][2]["rdma_rails"].size(), 8U);
    const Message& direction = json["directions"][2]; // h0 -> h3
    EXPECT_EQ(direction["rails"].size(), 8U);
    EXPECT_NEAR(direction["rails"][5]["share_of_line_rate"].get<double>(), 0.45, 1e-9);
}

TEST(ProbeVerdict, ComparesStoragePortsAmongThemselves)
{
    Matrix matrix = evenRdmaMatrix(3, 3, 400'000);
    for (std::size_t host = 0; host < 3; ++host) {
        matrix.rdmaEnds[host].rails[2].mbps = 100'000;
        for (std::size_t other = 0; other < 3; ++other) {
            over(matrix, host, other, 2).gbps = 90;
        }
    }
    EXPECT_TRUE(judge(matrix).outliers.empty());
}

TEST(ProbeVerdict, ReportsLossOfSmallMessagesEvenIfTheBurstWasFast)
{
    Matrix matrix = evenMatrix(4);
    matrix.directions[0][1]->pings = 1000;
    matrix.directions[0][1]->pingsLost = 2;
    EXPECT_TRUE(judge(matrix).outliers.empty());
    matrix.directions[0][1]->pingsLost = 9;
    matrix.directions[0][1]->roundTripP999Us = 204'000;
    const Verdict verdict = judge(matrix);
    ASSERT_EQ(verdict.outliers.size(), 1U);
    EXPECT_EQ(verdict.outliers[0].cause, Cause::Loss);
    EXPECT_EQ(
        verdict.outliers[0].what,
        "h0 -> h1: one of a thousand round trips takes 204 ms, half of them at most 50 us, and 9 of 1000 "
        "small messages were sent again: they were lost on the way");
}

TEST(ProbeText, ShowsTheShareOfTheLineRateAndWhoWasLeftOut)
{
    Matrix matrix = evenMatrix(3);
    matrix.interfaceMbps = {100'000, 100'000, 25'000};
    matrix.leftOut = {{"ssh h3", "ended with code 255"}};
    const std::string text = textOf(matrix, judge(matrix), 100);
    EXPECT_NE(text.find("h0: eth0, 100 Gb/s"), std::string::npos) << text;
    EXPECT_NE(text.find("Left out: ssh h3: ended with code 255"), std::string::npos) << text;
    EXPECT_NE(text.find("10.0 %"), std::string::npos) << text; // 10 of 100 Gb/s
    EXPECT_NE(text.find("40.0 %"), std::string::npos) << text; // of the slower end's 25
    EXPECT_EQ(textOf(evenMatrix(3), judge(evenMatrix(3)), 100).find("Share"), std::string::npos);
}

} // namespace
} // namespace ringside::probe
