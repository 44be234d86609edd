// SPDX-License-Identifier: Apache-2.0
// Samples how much this process moves from and to files, and how long its threads wait for storage while the
// job stands still: what tells a checkpoint from a hang.
#pragma once
#include "host/kept_file.h"
#include "record/registry.h"
#include "sampled/source.h"

#include <optional>

namespace ringside::collector::sampled {

class Storage final : public Source {
public:
    explicit Storage(Registry& registry) : m_registry(registry) {}
    [[nodiscard]] const char* name() const override { return "process"; }
    void open() override { m_io.open("/proc/self/io"); }
    void read(Readings& readings, Pace pace) override;
    [[nodiscard]] std::string reason() const override { return {}; }

private:
    void readBytes(Readings& readings);
    void readWait(Readings& readings);
    [[nodiscard]] bool isQuiet(std::int64_t nowNs);

    Registry& m_registry;
    host::KeptFile m_io;
    std::optional<std::uint64_t> m_collectives; ///< issued, as of the last look
    std::int64_t m_quietSinceNs = 0;
    std::int64_t m_lookedNs = 0; ///< 0: never
    std::int64_t m_waitNs = 0;

    Series m_fileRead{"process", trace::SeriesName::FileRead};
    Series m_fileWritten{"process", trace::SeriesName::FileWritten};
    Series m_storageRead{"process", trace::SeriesName::StorageRead};
    Series m_storageWritten{"process", trace::SeriesName::StorageWritten};
    Series m_wait{"process", trace::SeriesName::StorageWait};
};

} // namespace ringside::collector::sampled
