// Base firmware of TRISC0, TRISC1 and TRISC2.                                     docs/hardware/tile.md 7.8
#include "arch/stream_registers.hpp"
#include "arch/sync.hpp"
#include "arch/tile_registers.hpp"
#include "firmware/base/environment.hpp"

namespace kerr::firmware {
namespace {

// Cycles that the pseudo-random generators need after seeding.
constexpr uint32_t kPrngSettleCycles = 600;

void init_thread() {
  for (uint32_t i = 0; i < arch::kGprsPerThread; ++i) store(arch::kGprBase + 4 * i, 0u);
  store(arch::kPrngSeed, 0u);
  const uint32_t begin = load(arch::kWallClockL);
  while (load(arch::kWallClockL) - begin < kPrngSettleCycles) {
  }
}

// Circular buffers begin every program empty.                                     tile.md 5.4
void zero_circular_buffer_streams() {
  for (uint32_t cb = 0; cb < kLayout.circular_buffers; ++cb) {
    const int stream = static_cast<int>(kLayout.first_cb_stream + cb);
    store(arch::stream_address(stream, arch::stream::kRemoteDestBufSize), 0u);
    store(arch::stream_address(stream, arch::stream::kRemoteDestBufStart), 0u);
  }
  // The counters are zero before BRISC is told so: stores to L1 and to the overlay are not ordered.
  drain_store(arch::stream_address(static_cast<int>(kLayout.first_cb_stream), arch::stream::kRemoteDestBufStart));
}

// Waits for GO; TRISC0 also serves the request to zero the stream counters.
void wait_for_go() {
  for (;;) {
    const SyncMessage message = read_sync(kHart);
    if (message == SyncMessage::Go) return;
    fence();
    if constexpr (kHart == arch::Hart::Trisc0) {
      if (message == SyncMessage::InitSyncRegisters) {
        zero_circular_buffer_streams();
        write_sync(kHart, SyncMessage::Done);
      }
    }
  }
}

// Returns when the coprocessor thread has finished everything the kernel pushed.
void drain_coprocessor() {
  store(arch::kTtSyncThreadIdle, 0u);
  drain_store(arch::kTtSyncThreadIdle);
}

}  // namespace

extern "C" void firmware_main() {
  const Board board;
  clear_local_ram(board);
  init_thread();
  publish_position(board);
  write_sync(kHart, SyncMessage::Done);
  for (;;) {
    wait_for_go();
    const uint32_t launch = current_launch();
    const KernelArguments arguments = publish_arguments(board, launch);
    set_up_circular_buffers(board, launch);
    publish_relative_position(board, launch);
    call_kernel(board, launch, arguments, 0);
    drain_coprocessor();
    write_sync(kHart, SyncMessage::Done);
  }
}

}  // namespace kerr::firmware
