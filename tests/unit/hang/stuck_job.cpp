// SPDX-License-Identifier: Apache-2.0
#include "stuck_job.h"

#include "unit/import/flight_dump.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <numeric>

namespace ringside::test {
namespace {

using Json = nlohmann::ordered_json;

bool isMessage(const StuckJob::Call& call)
{
    return call.name == "send" || call.name == "recv";
}

std::string rankText(const StuckJob::Ranks& ranks)
{
    std::string text;
    for (const std::int64_t rank : ranks) {
        text += (text.empty() ? "" : ", ") + std::to_string(rank);
    }
    return "[" + text + "]";
}

} // namespace

StuckJob::StuckJob(std::int64_t ranks, std::size_t ahead) : m_ahead(ahead), m_programs(at(ranks))
{
    Ranks all(at(ranks));
    std::iota(all.begin(), all.end(), 0);
    group("default_pg", std::move(all));
}

std::size_t StuckJob::group(const std::string& description, Ranks ranks)
{
    m_groups.push_back({std::to_string(m_groups.size()), description, std::move(ranks)});
    return m_groups.size() - 1;
}

std::int64_t StuckJob::placeIn(std::size_t group, std::int64_t rank) const
{
    const Ranks& ranks = m_groups[group].ranks;
    return std::ranges::find(ranks, rank) - ranks.begin();
}

void StuckJob::call(std::int64_t rank, Call call)
{
    if (m_halted.contains(rank)) {
        return;
    }
    Program& program = m_programs[at(rank)];
    const auto order = std::ranges::count_if(program, [&](const Run& before) {
        const bool message = isMessage(call);
        return before.call.group == call.group && isMessage(before.call) == message &&
               (!message || (before.call.name == call.name && before.call.peer == call.peer)) &&
               (message || call.batch == 0 || before.call.batch != call.batch);
    });
    program.push_back({std::move(call), order, -1, false});
}

void StuckJob::collective(std::size_t group, const std::string& name, std::int64_t size, const Ranks& without)
{
    for (const std::int64_t rank : m_groups[group].ranks) {
        if (std::ranges::find(without, rank) == without.end()) {
            call(rank, {group, name, size, -1, 0});
        }
    }
}

void StuckJob::send(std::size_t group, std::int64_t from, std::int64_t to, std::int64_t size)
{
    call(from, {group, "send", size, placeIn(group, to), 0});
}

void StuckJob::receive(std::size_t group, std::int64_t to, std::int64_t from, std::int64_t size)
{
    call(to, {group, "recv", size, placeIn(group, from), 0});
}

void StuckJob::message(std::size_t group, std::int64_t from, std::int64_t to, std::int64_t size)
{
    send(group, from, to, size);
    receive(group, to, from, size);
}

void StuckJob::batch(std::size_t group, std::int64_t rank,
                     const std::vector<std::pair<std::string, std::int64_t>>& parts)
{
    ++m_batches;
    for (const auto& [name, number] : parts) {
        const bool message = name == "send" || name == "recv";
        call(rank, {group, name, message ? 512 : number, message ? placeIn(group, number) : -1, m_batches});
    }
}

/// The first call that has not completed, with all calls of its batch.
std::pair<std::size_t, std::size_t> StuckJob::head(std::int64_t rank) const
{
    const Program& program = m_programs[at(rank)];
    const auto first = std::ranges::find(program, false, &Run::done);
    auto begin = static_cast<std::size_t>(first - program.begin());
    std::size_t end = std::min(begin + 1, program.size());
    const std::int64_t batch = begin < end ? program[begin].call.batch : 0;
    while (batch != 0 && begin > 0 && program[begin - 1].call.batch == batch) {
        --begin;
    }
    while (batch != 0 && end < program.size() && program[end].call.batch == batch) {
        ++end;
    }
    return {begin, end};
}

bool StuckJob::issue(std::int64_t rank)
{
    Program& program = m_programs[at(rank)];
    const auto [first, last] = head(rank);
    bool any = false;
    for (std::size_t i = first; i < std::min(program.size(), std::max(last, first + m_ahead)); ++i) {
        if (program[i].issuedAt < 0) {
            program[i].issuedAt = ++m_tick;
            any = true;
        }
    }
    return any;
}

bool StuckJob::runsCounterpart(std::int64_t rank, const Run& run, std::int64_t other) const
{
    const Program& theirs = m_programs[at(other)];
    const auto [first, last] = head(other);
    const auto blocked = m_blocked.find(other);
    if (blocked != m_blocked.end() && first >= blocked->second) {
        return false;
    }
    for (std::size_t i = first; i < last; ++i) {
        const Run& their = theirs[i];
        const bool same = their.issuedAt >= 0 && their.call.group == run.call.group &&
                          their.order == run.order && their.call.size == run.call.size;
        const bool message = isMessage(run.call);
        if (same && (message ? their.call.name == (run.call.name == "send" ? "recv" : "send") &&
                                   their.call.peer == placeIn(run.call.group, rank)
                             : their.call.name == run.call.name)) {
            return true;
        }
    }
    return false;
}

bool StuckJob::isMatched(std::int64_t rank, const Run& run) const
{
    const Ranks& ranks = m_groups[run.call.group].ranks;
    if (isMessage(run.call)) {
        return runsCounterpart(rank, run, ranks[at(run.call.peer)]);
    }
    return std::ranges::all_of(ranks, [&](std::int64_t other) { return runsCounterpart(rank, run, other); });
}

/// Completes the calls at the head of all ranks that match. A batch completes as a whole, but its parts do
/// not wait for each other.
void StuckJob::run()
{
    std::set<const Run*> matched; // parts of batches that have found their counterparts
    for (bool goesOn = true; goesOn;) {
        goesOn = false;
        for (std::int64_t rank = 0; rank < std::ssize(m_programs); ++rank) {
            goesOn = issue(rank) || goesOn;
        }
        for (std::int64_t rank = 0; rank < std::ssize(m_programs); ++rank) {
            const auto [first, last] = head(rank);
            const auto blocked = m_blocked.find(rank);
            for (std::size_t i = first; i < last; ++i) {
                const Run& run = m_programs[at(rank)][i];
                const bool held = blocked != m_blocked.end() && first >= blocked->second;
                if (!held && run.issuedAt >= 0 && !matched.contains(&run) && isMatched(rank, run)) {
                    matched.insert(&run);
                    goesOn = true;
                }
            }
        }
        for (std::int64_t rank = 0; rank < std::ssize(m_programs); ++rank) {
            const auto [first, last] = head(rank);
            Program& program = m_programs[at(rank)];
            bool whole = first < last;
            for (std::size_t i = first; i < last; ++i) {
                whole = whole && matched.contains(&program[i]);
            }
            for (std::size_t i = first; whole && i < last; ++i) {
                program[i].done = true;
            }
        }
    }
}

bool StuckJob::wentThrough() const
{
    return std::ranges::all_of(m_programs, [](const Program& program) {
        return std::ranges::all_of(program, [](const Run& run) { return run.done; });
    });
}

Json StuckJob::entries(std::int64_t rank, const DumpStyle& style) const
{
    struct Counts {
        std::int64_t collectives = 0, messages = 0, operations = 0;
    };
    std::map<std::size_t, Counts> counts;
    std::map<std::size_t, std::int64_t> ids;
    for (std::size_t group = 0; group < m_groups.size(); ++group) {
        if (std::ranges::find(m_groups[group].ranks, rank) != m_groups[group].ranks.end()) {
            ids.emplace(group, std::ssize(ids));
        }
    }
    Json all = Json::array();
    const Program& program = m_programs[at(rank)];
    const auto [first, last] = head(rank);
    const auto blocked = m_blocked.find(rank);
    std::size_t issued = 0;
    while (issued < program.size() && program[issued].issuedAt >= 0) {
        ++issued;
    }
    const auto earlier = m_earlier.find(rank);
    issued -= earlier != m_earlier.end() ? std::min(issued, earlier->second) : 0;
    for (std::size_t i = 0; i < issued; ++i) {
        const Run& run = program[i];
        Counts& count = counts[run.call.group];
        const bool fresh = run.call.batch == 0 || i == 0 || program[i - 1].call.batch != run.call.batch;
        (isMessage(run.call) ? count.messages : count.collectives) += fresh ? 1 : 0;
        const bool gpu = blocked == m_blocked.end() || i < blocked->second;
        const bool running = style.timing && gpu && i >= first && i < last;
        const std::string state = run.done ? "completed" : running ? "started" : "scheduled";
        const auto add = [&](const std::string& name, const std::string& how) {
            Json entry = flightEntry(1, how, "nccl:" + name, run.call.size / 2);
            const std::int64_t createdNs = kDumpDateNs + run.issuedAt * 1'000'000;
            entry["record_id"] = all.size();
            entry["pg_id"] = ids[run.call.group];
            entry["process_group"] = {m_groups[run.call.group].name, m_groups[run.call.group].description};
            entry["collective_seq_id"] = count.collectives;
            entry["p2p_seq_id"] = count.messages;
            entry["op_id"] = ++count.operations;
            entry["time_created_ns"] = createdNs;
            entry["is_p2p"] = isMessage(run.call);
            for (const char* const when : {"time_discovered_started_ns", "time_discovered_completed_ns"}) {
                entry[when] = entry[when].is_null() ? Json(nullptr) : Json(createdNs + 1000);
            }
            if (!style.timing) {
                entry["time_discovered_started_ns"] = nullptr;
            }
            all.push_back(std::move(entry));
        };
        const std::string self = std::to_string(placeIn(run.call.group, rank));
        const std::string peers = !isMessage(run.call) ? ""
                                  : run.call.name == "send"
                                      ? " " + self + "->" + std::to_string(run.call.peer)
                                      : " " + self + "<-" + std::to_string(run.call.peer);
        add(run.call.name + peers, run.call.batch != 0 ? "scheduled" : state);
        if (run.call.batch != 0 && (i + 1 == issued || program[i + 1].call.batch != run.call.batch)) {
            add("coalesced", state);
        }
    }
    const std::size_t lost = all.size() - std::min(all.size(), style.buffer);
    return Json(all.begin() + static_cast<std::ptrdiff_t>(lost), all.end());
}

Json StuckJob::dump(std::int64_t rank, const DumpStyle& style) const
{
    Json result;
    result["version"] = style.version;
    result["comm_lib_version"] = "2.28.9";
    result["pg_config"] = Json::object();
    result["pg_status"] = Json::object();
    for (std::size_t i = 0; i < m_groups.size(); ++i) {
        const Group& group = m_groups[i];
        if (std::ranges::find(group.ranks, rank) != group.ranks.end()) {
            const bool used = std::ranges::any_of(m_programs[at(rank)], [i](const Run& run) {
                return run.call.group == i && run.issuedAt >= 0;
            });
            if (used) {
                result["pg_status"][std::to_string(result["pg_config"].size())] = {
                    {"last_enqueued_collective", 1}};
            }
            result["pg_config"][group.name] = {
                {"name", group.name}, {"desc", group.description}, {"ranks", rankText(group.ranks)}};
        }
    }
    result["entries"] = entries(rank, style);
    return result;
}

std::string StuckJob::watchdogLog(bool statuses)
{
    run();
    std::string log = "starting\nepoch 4: loss 1.93\n";
    for (std::int64_t rank = 0; rank < std::ssize(m_programs); ++rank) {
        const std::string number = std::to_string(rank);
        const std::string begin = "[rank" + number + "]:[E1128 10:04:1" + std::to_string(rank % 10) +
                                  ".204117 ProcessGroupNCCL.cpp:629] ";
        struct Counts {
            std::int64_t enqueued = 0, completed = 0;
            const Run* open = nullptr;
        };
        std::map<std::size_t, Counts> counts;
        for (const Run& run : m_programs[at(rank)]) {
            if (run.issuedAt >= 0 && !isMessage(run.call)) {
                Counts& count = counts[run.call.group];
                count.enqueued = run.order + 1;
                count.completed = run.done ? run.order + 1 : count.completed;
                count.open = count.open == nullptr && !run.done ? &run : count.open;
            }
        }
        for (const auto& [group, count] : counts) {
            std::string operation = count.open != nullptr ? count.open->call.name : "";
            std::erase(operation, '_');
            std::ranges::transform(operation, operation.begin(),
                                   [](unsigned char c) { return std::toupper(c); });
            const std::string at = count.open != nullptr ? std::to_string(count.open->order + 1) : "";
            if (count.open != nullptr && !m_withoutDump.contains(rank)) {
                const std::string size = std::to_string(count.open->call.size);
                log += begin + "[Rank " + number +
                       "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=" + at +
                       ", OpType=" + operation + ", NumelIn=" + size + ", NumelOut=" + size +
                       ", Timeout(ms)=600000) ran for 60004" + std::to_string(rank % 10) +
                       " milliseconds before timing out.\n";
            }
            if (statuses && !m_withoutDump.contains(rank) && (count.open != nullptr || group == 0)) {
                const std::string name = m_groups[group].name + "(" + m_groups[group].description + ")";
                log += begin + "[PG ID " + std::to_string(group) + " PG GUID " + name + " Rank " + number +
                       "] " +
                       (count.open != nullptr
                            ? "Exception (either an error or timeout) detected by watchdog at work: " + at +
                                  ", last"
                            : "Received a dump signal due to a collective timeout from rank 0 and we will "
                              "try our "
                              "best to dump the debug info. Last") +
                       " enqueued NCCL work: " + std::to_string(count.enqueued) +
                       ", last completed NCCL work: " + std::to_string(count.completed) + ".\n";
            }
        }
    }
    return log + "job ended\n";
}

void StuckJob::writeDumps(const std::filesystem::path& folder, const DumpStyle& style)
{
    run();
    for (std::int64_t rank = 0; rank < std::ssize(m_programs); ++rank) {
        if (!m_withoutDump.contains(rank)) {
            const Json whole = dump(rank, style);
            std::ofstream(folder / ("nccl_trace_rank_" + std::to_string(rank)), std::ios::binary)
                << (style.json ? whole.dump() : PickleText::of(whole));
        }
    }
}

} // namespace ringside::test
