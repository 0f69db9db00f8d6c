#include "tests/emu/machine/random_tiles.hpp"

#include <algorithm>

#include "arch/stream_registers.hpp"
#include "arch/sync.hpp"
#include "arch/tile_registers.hpp"
#include "emu/hash.hpp"

namespace kerr::emu {

using arch::NocCoord;
namespace niu = arch::niu;
namespace tx = isa::tensix;
using namespace isa::reg;

namespace {

constexpr int kFewestActions = 6, kMostActions = 30;

bool has_thread(arch::Hart hart) { return thread_of(hart) >= 0; }

}  // namespace

RandomTiles::RandomTiles(unsigned seed) : random_(seed) {
  const auto workers = arch::tensix_tiles(arch::kP100a.harvesting);
  std::vector<NocCoord> all(workers.begin(), workers.end());
  std::shuffle(all.begin(), all.end(), random_);
  all.resize(2 + below(5));
  tiles_ = all;
  for (const NocCoord tile : tiles_) {
    for (int hart = 0; hart < kHarts; ++hart) {
      if (one_in(3)) continue;
      const auto index = static_cast<arch::Hart>(hart);
      code_.push_back({tile, index, kernel(index).finish(arch::kDefaultResetPc[static_cast<size_t>(hart)]).bytes});
    }
  }
}

Kernel RandomTiles::kernel(arch::Hart hart) {
  Kernel k;
  acks_ = reads_ = atomics_ = 0;
  if (!has_thread(hart)) {
    for (int buffer : {0, 1, 3}) k.noc_init(static_cast<int>(hart), buffer);
  }
  for (uint32_t i = kFewestActions + below(kMostActions - kFewestActions); i > 0; --i) action(k, hart);
  k.csrr(a2, 0xB00);  // mcycle, minstret
  k.csrr(a3, 0xB02);
  k.store_reg(0x5000 + 64 * static_cast<uint32_t>(hart), a1);
  k.stop();
  return k;
}

void RandomTiles::action(Kernel& k, arch::Hart hart) {
  switch (below(4)) {
    case 0: return memory_action(k);
    case 1: return register_action(k, hart);
    default: break;
  }
  if (has_thread(hart)) return tensix_action(k);
  noc_action(k, static_cast<int>(hart));
}

// May wait forever: that, too, must be the same in all runs.
void RandomTiles::poll(Kernel& k, uint32_t address) {
  k.li(t0, address);
  const isa::Label again = k.here();
  if (one_in(2)) k.fence();
  k.lw(t2, t0, 0);
  if (one_in(2)) k.andi(t2, t2, 0xFF);
  k.beqz(t2, again);
  k.add(a1, a1, t2);
}

void RandomTiles::memory_action(Kernel& k) {
  switch (below(8)) {
    case 0: {
      k.li(a0, 1 + below(60));
      const isa::Label loop = k.here();
      k.addi(a1, a1, 7);
      k.addi(a0, a0, -1);
      k.bnez(a0, loop);
      break;
    }
    case 1: k.store_reg(slot() + 4 * below(4), a1); break;
    case 2: k.store_word(slot(), below(1000)); break;
    case 3:
      k.load_word(t2, slot() + 4 * below(4));
      k.xor_(a1, a1, t2);
      break;
    case 4:
      k.li(t0, slot());
      k.amoadd_w(t2, a1, t0);
      k.add(a1, a1, t2);
      break;
    case 5:
      if (one_in(3)) poll(k, slot());
      break;
    case 6:  // local memory, in a loop, beside the interactions of others
      k.li(t0, 0xFFB00100);
      k.li(a0, 1 + below(20));
      {
        const isa::Label loop = k.here();
        k.lw(t2, t0, 0);
        k.add(t2, t2, a1);
        k.sw(t2, t0, 0);
        k.addi(a0, a0, -1);
        k.bnez(a0, loop);
      }
      k.add(a1, a1, t2);
      break;
    default: {  // copies word by word
      k.li(t0, slot());
      k.li(t1, slot());
      k.li(a0, 1 + below(8));
      const isa::Label loop = k.here();
      k.lw(t2, t0, 0);
      k.sw(t2, t1, 0);
      k.addi(t0, t0, 4);
      k.addi(t1, t1, 4);
      k.addi(a0, a0, -1);
      k.bnez(a0, loop);
      break;
    }
  }
}

void RandomTiles::register_action(Kernel& k, arch::Hart hart) {
  const bool mail = hart != arch::Hart::Ncrisc;
  const uint32_t stream = arch::kOverlayBase + arch::kStreamStride * (8 + below(3)) + 4 * 10;
  switch (below(9)) {
    case 0:
      k.load_word(t2, arch::kWallClockL);
      k.add(a1, a1, t2);
      break;
    case 1: k.store_reg(stream, a1); break;
    case 2:
      k.load_word(t2, stream);
      k.add(a1, a1, t2);
      break;
    case 3:
      if (one_in(4)) poll(k, stream);
      break;
    case 4:
      if (mail) k.store_reg(arch::mailbox_address(static_cast<int>(below(4))), a1);
      break;
    case 5:
      if (!mail) break;
      k.load_word(t2, arch::mailbox_address(static_cast<int>(below(4))) + (one_in(4) ? 0 : arch::kMailboxQuery));
      k.add(a1, a1, t2);
      break;
    case 6:
      if (has_thread(hart)) {
        if (one_in(4)) return poll(k, arch::semaphore_address(static_cast<int>(below(3))));
        k.store_word(arch::semaphore_address(static_cast<int>(below(3))), below(2));
      } else if (mail) {
        k.store_reg(arch::pc_buf_address_of_brisc(static_cast<int>(below(3))), a1);
      }
      break;
    case 7:
      if (has_thread(hart)) {
        k.load_word(t2, one_in(3) ? arch::kPcBufOfTrisc : arch::kTtSyncThreadIdle);
      } else if (mail && one_in(2)) {
        k.load_word(t2, arch::pc_buf_address_of_brisc(static_cast<int>(below(3))));
      }
      k.add(a1, a1, t2);
      break;
    default:
      if (!mail) break;
      k.load_word(t2, arch::kGprBase + 4 * below(8));
      k.add(a1, a1, t2);
      k.store_reg(arch::kGprBase + 4 * below(8), a1);
      break;
  }
}

void RandomTiles::noc_action(Kernel& k, int noc) {
  const uint32_t from = slot();
  const uint32_t bytes = one_in(4) ? 64 * (1 + below(40)) : 16 * (1 + below(4));
  const NocCoord bank = arch::dram_bank_tile_for_noc(arch::kP100a.harvesting, static_cast<int>(below(2)), noc);
  const auto count = [&](niu::Counter counter, uint32_t value) {
    if (one_in(2)) k.noc_wait(noc, counter, value);
  };
  switch (below(8)) {
    case 0: k.noc_write(noc, from, any_tile(), slot(), bytes); return count(niu::kMstWrAckReceived, ++acks_);
    case 1: k.noc_read(noc, any_tile(), slot(), from, bytes); return count(niu::kMstRdRespReceived, ++reads_);
    case 2:
      k.noc_increment(noc, any_tile(), slot(), 1 + below(3));
      return count(niu::kMstAtomicRespReceived, ++atomics_);
    case 3: k.noc_write(noc, from, bank, slot(), bytes); return count(niu::kMstWrAckReceived, ++acks_);
    case 4: k.noc_read(noc, bank, slot(), from, bytes); return count(niu::kMstRdRespReceived, ++reads_);
    case 5: {  // posted multicast to a rectangle of the grid
      NocCoord a = any_tile(), b = any_tile();
      if (noc == 1) std::swap(a, b);
      const uint32_t start = a.packed(), end = b.packed();
      k.noc_set(noc, 0, niu::kTargAddrLo, from);
      k.noc_set(noc, 0, niu::kRetAddrLo, slot());
      k.noc_set(noc, 0, niu::kRetAddrMid, 0);
      k.noc_set(noc, 0, niu::kRetAddrHi, start << 12 | end);
      uint32_t ctrl = niu::kCtrlWrite | niu::kCtrlBroadcast | niu::kCtrlVcStatic | niu::ctrl_static_vc(4);
      if (one_in(2)) ctrl |= niu::kCtrlBroadcastXy;
      if (one_in(2)) ctrl |= niu::kCtrlBroadcastSrcInclude;
      return k.noc_issue(noc, 0, ctrl, bytes);
    }
    case 6: {  // an inline write to a stream register of another tile
      k.noc_set(noc, 2, niu::kTargAddrLo, arch::kOverlayBase + arch::kStreamStride * (8 + below(3)) + 4 * 10);
      k.noc_set(noc, 2, niu::kTargAddrHi, any_tile().packed());
      k.noc_set(noc, 2, niu::kAtData, below(100));
      return k.noc_issue(noc, 2, niu::kCtrlWrite | niu::kCtrlInline, 4);
    }
    default: {
      const uint64_t host = arch::pcie::kNocHostBase + TestMemory::kBase + slot();
      k.noc_write(noc, from, arch::kTranslatedPcie, host, 64);
      return count(niu::kMstWrAckReceived, ++acks_);
    }
  }
}

uint32_t RandomTiles::tensix_word() {
  const uint32_t semaphore = 1u << below(3);
  switch (below(14)) {
    case 0: return tx::SEMINIT{.sem_sel = semaphore, .init_value = below(3), .max_value = 1 + below(3)}.encode();
    case 1: return tx::SEMPOST{.sem_sel = semaphore}.encode();
    case 2: return tx::SEMGET{.sem_sel = semaphore}.encode();
    case 3:
      return tx::SEMWAIT{.wait_sem_cond = 1 + below(2), .sem_sel = semaphore, .stall_res = below(2) ? 0x1FFu : 1u}
          .encode();
    case 4: return tx::ATGETM{.mutex_index = 2}.encode();
    case 5: return tx::ATRELM{.mutex_index = 2}.encode();
    case 6: return tx::STALLWAIT{.wait_res = 1u << (5 + below(4)), .stall_res = 1u << below(9)}.encode();
    case 7: return tx::SETDVALID{.setvalid = 1 + below(3)}.encode();
    case 8: return tx::CLEARDVALID{.cleardvalid = 1 + below(3)}.encode();
    case 9: return tx::MVMUL{}.encode();
    case 10: return tx::SFPLOADI{.imm16 = below(1000), .instr_mod0 = 2, .lreg_ind = below(4)}.encode();
    case 11: return tx::INCRWC{.rwc_d = below(2)}.encode();
    default: return tx::NOP{}.encode();
  }
}

void RandomTiles::tensix_action(Kernel& k) {
  for (uint32_t n = 1 + below(one_in(6) ? 40 : 4); n > 0; --n) k.ttinsn(tensix_word());
}

std::ostream& operator<<(std::ostream& out, const TilesOutcome& o) {
  out << "state " << std::hex << o.state << std::dec << " host " << o.host << " cycles " << o.cycles << " instructions";
  for (const uint64_t n : o.counters.hart_instructions) out << ' ' << n;
  out << " threads";
  for (const uint64_t n : o.counters.thread_instructions) out << ' ' << n;
  return out << '\n' << o.faults;
}

TilesOutcome run(const RandomTiles& world, Options options, Cycle cycles, Cycle slice) {
  TestMemory memory;
  options.host_memory = &memory;
  options.always_in_parallel = true;
  Machine machine(options);
  TestHost host(machine);
  for (const RandomTiles::Code& code : world.code())
    host.write(code.tile, arch::kDefaultResetPc[static_cast<size_t>(code.hart)], code.bytes);
  for (const NocCoord tile : world.tiles()) {
    for (uint32_t at = 0x4000; at < 0x4300; at += 64) host.write32(tile, at, at / 64 % 3 * at);
    uint32_t reset = arch::kSoftResetAllHarts;
    for (const RandomTiles::Code& code : world.code()) {
      if (code.tile == tile) reset &= ~(1u << arch::kSoftResetBit[static_cast<size_t>(code.hart)]);
    }
    host.write32(tile, TestHost::kSoftReset, reset);
  }
  for (Cycle spent = 0; spent < cycles; spent += slice) machine.advance(std::min(slice, cycles - spent));
  TilesOutcome outcome;
  outcome.state = machine.state_hash();
  outcome.host = mix_bytes(0, memory.bytes);
  outcome.cycles = machine.now();
  outcome.counters = machine.counters(0);
  for (const Fault& fault : machine.faults()) outcome.faults += fault.text();
  return outcome;
}

}  // namespace kerr::emu
