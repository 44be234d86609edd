// SPDX-License-Identifier: Apache-2.0
// Dumps as PyTorch's flight recorder writes them, made by hand: as JSON and as a pickle of protocol 2 with
// its memo. Texts are JSON; the pickle is made of the same JSON.
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace ringside::test {

inline constexpr std::int64_t kDumpDateNs = 1'763'700'000'000'000'000;

/// One collective of the default group; `number` counts from 1.
inline nlohmann::ordered_json flightEntry(std::int64_t number, const std::string& state,
                                          const std::string& name = "nccl:all_reduce",
                                          std::int64_t size = 1000)
{
    const std::int64_t createdNs = kDumpDateNs + number * 50'000'000;
    nlohmann::ordered_json entry;
    entry["frames"] = {{{"name", "train_step"}, {"filename", "train.py"}, {"line", 40 + number}},
                       {{"name", "<module>"}, {"filename", "train.py"}, {"line", 99}}};
    entry["record_id"] = number - 1;
    entry["pg_id"] = 0;
    entry["process_group"] = {"0", "default_pg"};
    entry["collective_seq_id"] = number;
    entry["p2p_seq_id"] = 0;
    entry["op_id"] = number;
    entry["profiling_name"] = name;
    entry["time_created_ns"] = createdNs;
    entry["input_sizes"] = {{2, size}};
    entry["input_dtypes"] = {"Float"};
    entry["output_sizes"] = {{2, size}};
    entry["output_dtypes"] = {"Float"};
    entry["state"] = state;
    entry["time_discovered_started_ns"] = createdNs + 1000;
    entry["time_discovered_completed_ns"] = createdNs + 2000;
    if (state != "completed") {
        entry["time_discovered_completed_ns"] = nullptr;
    }
    if (state == "scheduled") {
        entry["time_discovered_started_ns"] = nullptr;
    }
    entry["retired"] = state == "completed";
    entry["timeout_ms"] = 600'000;
    entry["is_p2p"] = false;
    return entry;
}

inline nlohmann::ordered_json flightDump(nlohmann::ordered_json entries, int worldSize = 2)
{
    std::string ranks;
    for (int rank = 0; rank < worldSize; ++rank) {
        ranks += (rank > 0 ? ", " : "") + std::to_string(rank);
    }
    nlohmann::ordered_json dump;
    dump["version"] = "2.10";
    dump["pg_config"]["0"] = {{"name", "0"}, {"desc", "default_pg"}, {"ranks", "[" + ranks + "]"}};
    dump["comm_lib_version"] = "2.28.9";
    dump["pg_status"]["0"] = {{"last_enqueued_collective", 1}};
    dump["entries"] = std::move(entries);
    return dump;
}

/// The instructions that PyTorch's pickler uses: BINUNICODE with BINPUT and BINGET, LONG1 for what 32 bits do
/// not hold, SETITEMS and APPENDS.
class PickleText final {
public:
    static std::string of(const nlohmann::ordered_json& value)
    {
        PickleText pickle;
        pickle.m_text = "\x80\x02";
        pickle.put(value);
        return pickle.m_text + ".";
    }

private:
    void number(std::uint64_t value, int bytes)
    {
        for (int i = 0; i < bytes; ++i) {
            m_text += static_cast<char>(value >> 8 * i & 0xFF);
        }
    }
    void memo(char shortCode, char longCode, std::uint64_t place)
    {
        m_text += place < 256 ? shortCode : longCode;
        number(place, place < 256 ? 1 : 4);
    }
    void text(const std::string& value)
    {
        const auto [place, fresh] = m_memo.try_emplace(value, m_next);
        if (!fresh) {
            memo('h', 'j', place->second);
            return;
        }
        m_text += 'X';
        number(value.size(), 4);
        m_text += value;
        memo('q', 'r', m_next++);
    }
    void integer(std::int64_t value)
    {
        const bool large = value > 0x7FFFFFFF || value < -0x7FFFFFFF;
        const bool byte = value >= 0 && value < 256;
        m_text += large ? '\x8A' : byte ? 'K' : 'J';
        if (large) {
            m_text += '\x08';
        }
        number(static_cast<std::uint64_t>(value), large ? 8 : byte ? 1 : 4);
    }
    void put(const nlohmann::ordered_json& value)
    {
        if (value.is_object()) {
            m_text += "}(";
            for (const auto& [key, member] : value.items()) {
                text(key);
                put(member);
            }
            m_text += 'u';
        } else if (value.is_array()) {
            m_text += "](";
            for (const auto& element : value) {
                put(element);
            }
            m_text += 'e';
        } else if (value.is_string()) {
            text(value.get<std::string>());
        } else if (value.is_boolean()) {
            m_text += value.get<bool>() ? '\x88' : '\x89';
        } else if (value.is_number_float()) {
            m_text += 'G';
            number(0, 8);
        } else if (value.is_number()) {
            integer(value.get<std::int64_t>());
        } else {
            m_text += 'N';
        }
    }

    std::string m_text;
    std::map<std::string, std::uint64_t> m_memo;
    std::uint64_t m_next = 0;
};

} // namespace ringside::test
