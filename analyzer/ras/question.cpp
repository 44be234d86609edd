// SPDX-License-Identifier: Apache-2.0
#include "ras/question.h"

#include "host/monotonic.h"
#include "host/process.h"
#include "output/messages.h"
#include "output/output_file.h"
#include "ras/client.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <system_error>

namespace ringside::ras {
namespace {

constexpr std::int64_t kRasLimitMs = 25'000; ///< RAS itself gives up on silent ranks after 10 s
constexpr std::int64_t kSuspicionNs = 300'000'000'000;
constexpr int kMostQuestions = 100;

/// Whether a `record` of this run, on any host, has stored an answer to the same suspicion.
bool isAnswered(const std::filesystem::path& folder)
{
    struct stat status {};
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    constexpr std::int64_t kNsASecond = 1'000'000'000;
    return stat(folder.c_str(), &status) == 0 &&
           now.tv_sec - status.st_mtim.tv_sec < kSuspicionNs / kNsASecond;
}

} // namespace

RasQuestion::RasQuestion(std::filesystem::path run)
    : m_run(std::move(run)), m_host(host::hostName()), m_stop(eventfd(0, EFD_CLOEXEC))
{}

RasQuestion::~RasQuestion()
{
    if (m_thread.joinable()) {
        eventfd_write(m_stop, 1);
        m_thread.join();
    }
    if (m_stop >= 0) {
        close(m_stop);
    }
}

void RasQuestion::ask()
{
    const std::int64_t now = host::monotonicNs();
    if (now < m_nextNs || m_thread.joinable() || m_stop < 0 || m_number >= kMostQuestions) {
        return;
    }
    m_nextNs = now + kSuspicionNs;
    ++m_number;
    if (isAnswered(m_run / kRasFolder)) {
        return;
    }
    sigset_t all; // the thread inherits the mask
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
        m_thread = std::thread([this, where = rasPlaceOf({getpid()})] { converse(where); });
    } catch (const std::exception&) { // no memory, or no thread can be started: it is not asked
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void RasQuestion::look()
{
    if (m_done && m_thread.joinable()) {
        m_thread.join();
        m_done = false;
        output::printMessage("{}", m_message);
    }
}

void RasQuestion::converse(const RasPlace& where) noexcept
{
    try {
        const RasReply reply =
            where.isOff ? RasReply{"", "NCCL_RAS_ENABLE is 0"} : askRas(where.address, m_stop, kRasLimitMs);
        if (reply.answer.empty()) {
            store(kRasNotAsked, reply.whyNot + "\n");
        } else {
            store(reply.answer.starts_with('{') ? ".json" : ".txt", reply.answer);
            m_message =
                fmt::format("ringside: NCCL's RAS was asked what it knows of the hang: its answer is in {}\n",
                            (m_run / kRasFolder).string());
        }
    } catch (const std::exception& error) {
        m_message =
            fmt::format("ringside: warning: the answer of NCCL's RAS was not stored: {}\n", error.what());
    }
    m_done = true;
}

void RasQuestion::store(const std::string& ending, const std::string& text)
{
    const std::filesystem::path folder = m_run / kRasFolder;
    if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
        throw std::system_error(errno, std::generic_category(), folder.string());
    }
    const auto nameOfAnswer = [&](int number) {
        return folder / fmt::format("{}-{}{}", m_host, number, ending);
    };
    std::error_code ignored;
    while (std::filesystem::exists(nameOfAnswer(m_number), ignored) && m_number < kMostQuestions) {
        ++m_number;
    }
    output::OutputFile file(nameOfAnswer(m_number), output::Existing::Replace);
    file.write(text);
    file.close();
}

} // namespace ringside::ras
