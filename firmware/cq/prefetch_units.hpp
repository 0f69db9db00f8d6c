#pragma once

#include "firmware/cq/config.hpp"
#include "firmware/cq/noc_reader.hpp"
#include "firmware/cq/noc_writer.hpp"
#include "firmware/cq/page_writer.hpp"

// What both prefetchers are made of. Each adds `g_source`, which yields its records, and includes prefetcher.hpp.
namespace kerr::firmware {
namespace {

using Report = Reporter<offsetof(cq::ConfigBlock, diagnostics)>;
using cq::PrefetchId;

constexpr int kNoc = 0;
constexpr uint32_t kTransactionId = 1;
constexpr uint32_t kHalfBytes = cq::kScratchDbBytes / 2;

NocReader<kNoc> g_reader;
NocWriter<kNoc> g_writer;
NocAtomics<kNoc, kAtomicBuffer, kTransactionId> g_atomics;
PageWriter<g_writer, g_atomics,
           PageBuffer{cq::kDispatchCb, cq::kDispatchCbPages, cq::kDispatchCbLog2Page, cq::kPrefetchDownstreamCbSem,
                      cq::kDispatchCbSem}>
    g_dispatch_d;
PageWriter<g_writer, g_atomics,
           PageBuffer{cq::kDispatchSCb, cq::kDispatchSCbPages, cq::kDispatchSCbLog2Page, cq::kPrefetchDispatchSCbSem,
                      cq::kDispatchSCbSem}>
    g_dispatch_s;

}  // namespace
}  // namespace kerr::firmware
