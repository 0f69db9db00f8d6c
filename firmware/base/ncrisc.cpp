// Base firmware of NCRISC.                                                        docs/hardware/tile.md 7.8
#include "firmware/base/environment.hpp"
#include "firmware/base/noc_state.hpp"

namespace kerr::firmware {

extern "C" void firmware_main() {
  const Board board;
  clear_local_ram(board);
  copy_bank_tables(board);
  publish_position(board);
  write_sync(kHart, SyncMessage::Done);
  for (;;) {
    SyncMessage message;
    while ((message = read_sync(kHart)) != SyncMessage::Load && message != SyncMessage::Go) fence();
    const uint32_t launch = current_launch();
    const KernelArguments arguments = publish_arguments(board, launch);
    set_up_circular_buffers(board, launch);
    publish_relative_position(board, launch);
    // The two data-movement harts use different NoCs.
    const uint32_t noc = (launch_field<uint8_t>(launch, offsetof(LaunchMessage, brisc_noc_id)) & 1) ^ 1;
    store<uint8_t>(kAbi.noc_index, static_cast<uint8_t>(noc));
    while (read_sync(kHart) != SyncMessage::Go) fence();
    publish_noc_counters();  // after BRISC has initialised the command buffers
    call_kernel(board, launch, arguments, noc);
    write_sync(kHart, SyncMessage::Done);
  }
}

}  // namespace kerr::firmware
