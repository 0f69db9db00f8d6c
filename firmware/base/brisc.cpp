// Base firmware of BRISC: boots the tile, then runs launch messages.              docs/hardware/tile.md 7.6, 7.7
#include "arch/firmware_error.hpp"
#include "arch/profiler.hpp"
#include "arch/stream_registers.hpp"
#include "arch/sync.hpp"
#include "arch/tile_registers.hpp"
#include "firmware/base/environment.hpp"
#include "firmware/base/noc_state.hpp"
#include "firmware/common/niu.hpp"

namespace kerr::firmware {
namespace {

using arch::Hart;

constexpr uint32_t kAllHarts = 0x1F;

void enable_clock_gating(uint32_t config) { store(config, load(config) | 1); }

void init_registers() {
  store(arch::kDestCgCtrl, 0u);
  store(arch::kTdmaClkGateEn, 0x3Fu);
  for (int noc = 0; noc < 2; ++noc) {
    enable_clock_gating(arch::niu_base(noc) + niu::kNiuCfg0);
    enable_clock_gating(arch::niu_base(noc) + niu::kRouterCfg0);
  }
  store(arch::kNcriscResetPc, kLayout.firmware_base[static_cast<int>(Hart::Ncrisc)]);
  store(arch::kTrisc0ResetPc, kLayout.firmware_base[static_cast<int>(Hart::Trisc0)]);
  store(arch::kTrisc1ResetPc, kLayout.firmware_base[static_cast<int>(Hart::Trisc1)]);
  store(arch::kTrisc2ResetPc, kLayout.firmware_base[static_cast<int>(Hart::Trisc2)]);
  store(arch::kTriscResetPcOverride, 7u);
  store(arch::kNcriscResetPcOverride, 1u);
}

void clear_zero_region() {
  for (uint32_t i = 0; i < kLayout.zero_region_bytes; i += 4) store(kLayout.zero_region + i, 0u);
}

// Invalidates the instruction caches of the harts in `enables`, whose bits are in the order of LaunchMessage.
void invalidate_instruction_caches(uint32_t enables) {
  constexpr const auto& bit = arch::kIcInvalidateBit;
  static_assert(bit[0] == 0 && bit[1] == 4 && bit[2] == 1 && bit[3] == 2 && bit[4] == 3);
  uint32_t mask = (enables & arch::enable_bit(Hart::Brisc)) | (enables & arch::enable_bit(Hart::Ncrisc)) << 3;
  if (enables & arch::kEnableTriscs) mask |= 0b1110;
  store(arch::kIcInvalidateAll, mask);
}

// Tensix words that bring the coprocessor into the state kernels expect; pushed to thread 0.
void init_coprocessor() {
  const uint32_t push = arch::push_address_of_brisc(0);
  store(push, 0x10180000u);  // ZEROACC: all of Dst
  store(push, 0x8A00300Au);  // SFPENCC: all lanes on
  store(push, 0x02000000u);  // NOP
  store(push, 0x7100BF80u);  // SFPLOADI -1.0
  store(push, 0x910000B0u);  // SFPCONFIG: into LReg 11
  // Scrubber on, scrub on error, delay 0x100: three read-modify-writes, as the hardware was brought up.
  store(arch::kEccScrubber, load(arch::kEccScrubber) | 1u);
  store(arch::kEccScrubber, load(arch::kEccScrubber) | 2u);
  store(arch::kEccScrubber, (load(arch::kEccScrubber) & ~(0x7FFu << 3)) | (0x100u << 3));
  store(push, 0xA3100008u);  // SEMINIT semaphore 1: max 1, value 0
  store(push, 0xA3100010u);  // semaphore 2
  store(push, 0xA3100200u);  // semaphore 7
}

void start_subordinates() {
  store(kLayout.mailboxes, 0u);  // ncrisc_halt.resume_addr
  store(kLayout.subordinate_sync, arch::kSyncAllInit);
  drain_store(kLayout.subordinate_sync);
  store(arch::kSoftReset0, arch::kSoftResetNone);
  while (load(kLayout.subordinate_sync) != arch::kSyncAllDone) fence();
}

void set_signal_done() { store<uint8_t>(go_message_address() + 3, static_cast<uint8_t>(RunMessage::Done)); }

// One posted inline write of "add 1" to the dispatcher's completion stream.       tile.md 5.5
void notify_dispatcher(uint32_t noc) {
  const uint32_t go = go_message_address();
  const int stream = arch::kFirstDispatchStream + load<uint8_t>(go + offsetof(GoMessage, dispatch_message_offset));
  const uint32_t x = load<uint8_t>(go + offsetof(GoMessage, master_x));
  const uint32_t y = load<uint8_t>(go + offsetof(GoMessage, master_y));
  const CommandBuffer buffer(static_cast<int>(noc), kAtomicBuffer);
  buffer.wait_accepted();
  buffer.set(niu::kAtData, arch::stream_increment(1));
  buffer.set(niu::kCtrl, niu::kCtrlWordInlinePosted);
  buffer.set(niu::kTargAddrLo, arch::stream_address(stream, arch::stream::kSpaceAvailableUpdate));
  buffer.set(niu::kTargAddrMid, 0);
  buffer.set(niu::kTargAddrHi, (y << 6) | x);
  buffer.set(niu::kAtLenBe, 0);
  buffer.issue();
}

void init_noc(const Board& board) {
  for (int noc = 0; noc < 2; ++noc) init_command_buffers(noc, board.xy, kLayout.atomic_return);
}

// Counters of dynamic-NoC mode, shared by BRISC and NCRISC in L1: [noc][hart][kind].            tile.md 7.9
void init_dynamic_noc_counters() {
  for (int noc = 0; noc < 2; ++noc)
    for (int hart = 0; hart < 2; ++hart)
      for (int kind = 0; kind < kCounterKinds; ++kind)
        store(kLayout.noc_counters + static_cast<uint32_t>(noc * 40 + hart * 20 + kind * 4),
              noc == hart ? counter(noc, kCounterOfKind[kind]) : 0u);
}

// Waits for something to do and returns the slot of the launch message to run. The read pointer is this hart's own, so
// it is not among what the loop polls.
uint32_t wait_for_work(uint32_t noc) {
  for (;;) {
    const uint32_t slot = load(kLayout.launch_rd_ptr) & 7;
    const uint32_t preload = kLayout.launch_entry(slot) + offsetof(LaunchMessage, preload);
    // After a reset by the host the signal stays; with the pointer at 0 it asks for nothing more.
    RunMessage signal;
    for (;;) {
      signal = read_signal();
      const uint32_t preloads = load<uint8_t>(preload) & arch::kPreloadFlag;
      if ((static_cast<uint32_t>(signal) | preloads) == 0) {  // the turn of a tile that has nothing to do
        fence();
        continue;
      }
      if (signal == RunMessage::Go || preloads != 0) return slot;
      if (signal == RunMessage::ResetReadPtr || signal == RunMessage::ReplayTrace) break;
      if (signal == RunMessage::ResetReadPtrFromHost && slot != 0) break;
      fence();
    }
    store(kLayout.launch_rd_ptr, 0u);
    if (signal == RunMessage::ResetReadPtrFromHost) continue;
    set_signal_done();
    notify_dispatcher(noc);
  }
}

void start_triscs() {
  write_sync(Hart::Trisc0, SyncMessage::Go);
  write_sync(Hart::Trisc1, SyncMessage::Go);
  write_sync(Hart::Trisc2, SyncMessage::Go);
}

void wait_for_go() {
  while (read_signal() != RunMessage::Go) fence();
}

// Times of a program for the host, if it has armed this core and wants this program's.   fast-dispatch.md 15.2
struct CoreTimes {
  uint32_t row;  // 0: no

  static uint32_t field(uint32_t offset) { return load(arch::profiler::kControl + offset); }
  explicit CoreTimes(uint32_t launch) : row(launch_field<uint32_t>(launch, offsetof(LaunchMessage, host_assigned_id))) {
    if (row != 0 && field(offsetof(arch::profiler::Control, armed)) != arch::profiler::kArmed) row = 0;
  }

  void sample(uint32_t offset) const {
    if (row == 0) return;
    const uint32_t at = arch::profiler::kControl + offset;
    store(at, load(arch::kWallClockL));  // latches the high half
    store(at + 4, load(arch::kWallClockH));
    drain_store(at + 4);
  }
  // In host memory when it returns. A transaction id of its own tells this write from those that a kernel left behind.
  void send(uint32_t noc_id) const {
    if (row == 0) return;
    using arch::profiler::Control;
    const auto noc = static_cast<int>(noc_id);
    const uint32_t xy = field(offsetof(Control, noc_xy_addr));
    const CommandBuffer buffer(noc, kWriteBuffer);
    buffer.wait_accepted();
    buffer.set(niu::kTargAddrLo, arch::profiler::kControl);
    buffer.set(niu::kRetAddrLo, field(offsetof(Control, base)) + (row - 1) * field(offsetof(Control, row_bytes)) +
                                    field(offsetof(Control, core)) * field(offsetof(Control, core_bytes)));
    buffer.set(niu::kRetAddrMid, (xy >> 24) & 1 ? kHostMemoryMid : 0);
    buffer.set(niu::kRetAddrHi, xy & 0xFFF);
    buffer.set(niu::kAtLenBe, 2 * sizeof(Control::start));
    buffer.set(niu::kPacketTag, arch::profiler::kTransactionId << niu::kTagTransactionIdShift);
    buffer.set(niu::kCtrl, niu::kCtrlWordWrite);
    buffer.issue();
    buffer.wait_accepted();
    buffer.set(niu::kRetAddrMid, 0);
    buffer.set(niu::kPacketTag, 0);
    const int outstanding = niu::kMstReqsOutstandingId + static_cast<int>(arch::profiler::kTransactionId);
    while (counter(noc, outstanding) != 0) fence();
  }

 private:
  static constexpr uint32_t kHostMemoryMid = 0x10000000;  // bit 60 of the address
};

// Something a launch message asks for that this firmware does not do: say so in the watcher's assert record and stop.
[[noreturn]] void refuse(arch::FirmwareError error) {
  store(arch::kFirmwareAssert, static_cast<uint32_t>(error) | arch::kFirmwareAssertTripped);
  stop_here();
}

// What BRISC keeps from one launch to the next.
struct State {
  uint32_t noc = 0;      // that it used
  bool dynamic = false;  // harts shared their NoCs, and used the command buffers of either
};

// Runs one launch message and reports it.
void run(const Board& board, uint32_t slot, State& state) {
  const uint32_t launch = kLayout.launch_entry(slot);
  const uint32_t enables = launch_field<uint32_t>(launch, offsetof(LaunchMessage, enables));
  const uint32_t noc = launch_field<uint8_t>(launch, offsetof(LaunchMessage, brisc_noc_id)) & 1;
  if (enables != 0 &&
      launch_field<uint8_t>(launch, offsetof(LaunchMessage, min_remote_cb_start_index)) < kLayout.circular_buffers)
    refuse(arch::FirmwareError::RemoteCircularBuffers);
  if (enables & arch::enable_bit(Hart::Ncrisc)) write_sync(Hart::Ncrisc, SyncMessage::Load);

  invalidate_instruction_caches(enables);
  const KernelArguments arguments = publish_arguments(board, launch);
  while (read_sync(Hart::Trisc0) != SyncMessage::Done) fence();  // circular-buffer streams are zero
  store<uint8_t>(kAbi.noc_index, static_cast<uint8_t>(noc));
  publish_relative_position(board, launch);
  const bool dynamic = launch_field<uint8_t>(launch, offsetof(LaunchMessage, brisc_noc_mode)) ==
                       static_cast<uint8_t>(arch::NocMode::Dynamic);
  if (dynamic != state.dynamic) init_noc(board);  // else the kernels have left them as they were (arch/kernel_abi.hpp)
  publish_noc_counters();
  if (dynamic) init_dynamic_noc_counters();
  state = {noc, dynamic};
  if (enables & arch::enable_bit(Hart::Brisc)) set_up_circular_buffers(board, launch);

  // A preload flag may have started this early; kernels start after GO.
  wait_for_go();
  const CoreTimes times(launch);
  times.sample(offsetof(arch::profiler::Control, start));
  if (enables & arch::kEnableTriscs) start_triscs();
  if (enables & arch::enable_bit(Hart::Ncrisc)) write_sync(Hart::Ncrisc, SyncMessage::Go);
  if (enables & arch::enable_bit(Hart::Brisc)) call_kernel(board, launch, arguments, noc);

  while (load(kLayout.subordinate_sync) != arch::kSyncAllDone) fence();
  times.sample(offsetof(arch::profiler::Control, end));
  times.send(noc);
  // Kernels have counted in the streams of their circular buffers; whoever runs next finds zeros.
  if (launch_field<uint32_t>(launch, offsetof(LaunchMessage, local_cb_mask)) != 0)
    write_sync(Hart::Trisc0, SyncMessage::InitSyncRegisters);
  // Behind DONE a host that polls for it may write the next message here.
  const uint8_t mode = launch_field<uint8_t>(launch, offsetof(LaunchMessage, mode));
  set_signal_done();
  if (mode == static_cast<uint8_t>(arch::DispatchMode::Dev)) {
    store(launch + offsetof(LaunchMessage, enables), 0u);
    store<uint8_t>(launch + offsetof(LaunchMessage, preload), 0);
    // DONE is in L1 before the notification leaves the tile.
    drain_store(launch + offsetof(LaunchMessage, enables));
    notify_dispatcher(noc);
    store(kLayout.launch_rd_ptr, (slot + 1) & 7);
  }
}

}  // namespace

extern "C" void firmware_main() {
  const Board board;
  clear_local_ram(board);
  copy_bank_tables(board);
  store(kLayout.launch_rd_ptr, 0u);
  store(arch::kFirmwareAssert, 0u);
  publish_position(board);
  init_registers();
  clear_zero_region();
  invalidate_instruction_caches(kAllHarts);
  init_coprocessor();
  start_subordinates();
  set_signal_done();
  init_noc(board);
  publish_noc_counters();
  write_sync(Hart::Trisc0, SyncMessage::InitSyncRegisters);

  State state;
  for (;;) {
    const uint32_t slot = wait_for_work(state.noc);
    run(board, slot, state);
  }
}

}  // namespace kerr::firmware
