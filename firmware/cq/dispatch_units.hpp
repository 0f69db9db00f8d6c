#pragma once

#include "firmware/cq/config.hpp"
#include "firmware/cq/noc_writer.hpp"
#include "firmware/cq/page_reader.hpp"
#include "firmware/cq/write_linear.hpp"

// What all dispatchers on BRISC are made of. The whole one and dispatch_d add `Host`, which executes commands for the
// host, and include dispatcher.hpp.
namespace kerr::firmware {
namespace {

using Report = Reporter<offsetof(cq::ConfigBlock, diagnostics)>;
using cq::DispatchId;

constexpr uint32_t kTransactionId = 1;
constexpr uint32_t kGoSlot = kLayout.inline_staging;  // BRISC, NoC 0

NocWriter<0> g_writer;
NocAtomics<1, kAtomicBuffer, kTransactionId> g_atomics;
PageReader<g_writer, g_atomics> g_reader;

uint32_t write_offset(uint32_t index);  // of the dispatcher's commands

}  // namespace
}  // namespace kerr::firmware
