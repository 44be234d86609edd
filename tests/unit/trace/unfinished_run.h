// SPDX-License-Identifier: Apache-2.0
// A run directory whose process is gone or was never ended: the first of its three calls is in its trace, all
// of them are in its rings, which lie in memory until they are saved.
#pragma once
#include "ring_builder.h"
#include "support/temporary_directory.h"

#include <ringside/trace/ring_decoder.h>
#include <ringside/trace/writer.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace ringside::test {

class UnfinishedRun : public testing::Test {
protected:
    UnfinishedRun()
    {
        using namespace trace;
        std::filesystem::create_directories(m_run);
        std::ofstream(m_run / "node-1.rings") << m_shm.string() << "\n";
        m_definitions.text(1, "cudaMalloc").add(RecordKind::Thread, ThreadRecord{{}, 2, 1, "main"});
        m_thread.call(10, 20).call(30, 40).call(50, 60);
        m_thread.header().inFlight[0].startTicks = 70;
        m_thread.header().inFlight[0].api = 1;
    }

    /// What the drain thread had written; the caller may add to it.
    void storeFirstCall(trace::Writer& writer)
    {
        trace::ProcessRow process;
        process.host = "node";
        writer.setProcess(process);
        trace::RingDecoder decoder(writer);
        writer.setRingProgress(1, decoder.decode(m_definitions.bytes(), 0));
        trace::ApiCallRow first;
        first.startNs = 10;
        first.endNs = 20;
        first.api = 1;
        writer.add(first);
        writer.setRingProgress(2, 1);
    }
    void saveRings()
    {
        m_definitions.save(m_shm / "node-1.1.ring");
        m_thread.save(m_shm / "node-1.2.ring");
    }

    TemporaryDirectory m_directory;
    std::filesystem::path m_run = m_directory / "run.ringside";
    std::filesystem::path m_shm = makeRingFolder(m_directory.path());
    RingBuilder m_definitions{trace::RingRole::Definitions, 1, 64};
    RingBuilder m_thread{trace::RingRole::Thread, 2, 64};
};

} // namespace ringside::test
