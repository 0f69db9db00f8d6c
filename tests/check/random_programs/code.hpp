// What the harts of random programs are made of.
#pragma once

#include "arch/noc_registers.hpp"
#include "isa/assembler.hpp"

namespace kerr::random_programs {

/// Code of one hart, which uses one NoC. s0 to s3 count what it has asked for, s4 sums up what it has read.
class HartCode {
 public:
  explicit HartCode(int noc, std::string name) : noc_(noc), name_(std::move(name)) {
    using namespace isa::reg;
    a.function(name_);
    a.addi(sp, sp, -32);
    for (int i = 0; i < 5; ++i) a.sw(kSaved[i], sp, 4 * i);
    for (int i = 0; i < 4; ++i) load(kSaved[i], arch::niu_counter_address(noc_, kCounters[i]));
    a.mv(s4, zero);
  }

  /// From here on the lines of reports are those of this step.
  void begin_step(uint32_t number) { a.source("steps", number + 1); }

  void load(isa::Reg to, uint32_t address) {
    a.li(isa::reg::t6, address);
    a.lw(to, isa::reg::t6);
  }
  void store(uint32_t address, uint32_t value) {
    a.li(isa::reg::t5, value);
    a.li(isa::reg::t6, address);
    a.sw(isa::reg::t5, isa::reg::t6);
  }
  void add_to_sum(uint32_t address) {
    load(isa::reg::t0, address);
    a.add(isa::reg::s4, isa::reg::s4, isa::reg::t0);
  }
  void add_atomically(uint32_t address) {
    a.li(isa::reg::t5, 1);
    a.li(isa::reg::t6, address);
    a.amoadd_w(isa::reg::zero, isa::reg::t5, isa::reg::t6);
  }
  /// Until the word, of which `bits` count, minus `base` is at least `value`.
  void wait_until(uint32_t address, uint32_t value, uint32_t base = 0, uint32_t bits = 32) {
    using namespace isa::reg;
    a.li(t1, value);
    a.li(t2, base);
    a.li(t6, address);
    const isa::Label again = a.here();
    a.fence();
    a.lw(t0, t6);
    a.sub(t0, t0, t2);
    if (bits == 16) a.zext_h(t0, t0);
    a.bltu(t0, t1, again);
  }

  void write(uint32_t vc, uint32_t from, arch::NocCoord tile, uint32_t to, uint32_t bytes) {
    const uint32_t control = arch::niu::kCtrlWrite | arch::niu::kCtrlRespMarked | arch::niu::ctrl_static_vc(vc);
    issue(0, {{arch::niu::kCtrl, control},
              {arch::niu::kTargAddrLo, from},
              {arch::niu::kRetAddrLo, to},
              {arch::niu::kRetAddrMid, 0},
              {arch::niu::kRetAddrHi, tile.packed()},
              {arch::niu::kAtLenBe, bytes}});
    a.addi(isa::reg::s1, isa::reg::s1, 1);
    a.addi(isa::reg::s3, isa::reg::s3, 1);
  }
  void read(arch::NocCoord tile, uint32_t from, uint32_t to, uint32_t bytes) {
    issue(1, {{arch::niu::kTargAddrLo, from},
              {arch::niu::kTargAddrMid, 0},
              {arch::niu::kTargAddrHi, tile.packed()},
              {arch::niu::kRetAddrLo, to},
              {arch::niu::kAtLenBe, bytes}});
    a.addi(isa::reg::s0, isa::reg::s0, 1);
  }
  void increment(uint32_t vc, arch::NocCoord tile, uint32_t address) {
    const uint32_t control = arch::niu::kCtrlAtomic | arch::niu::kCtrlRespMarked | arch::niu::ctrl_static_vc(vc);
    issue(3, {{arch::niu::kCtrl, control},
              {arch::niu::kTargAddrLo, address},
              {arch::niu::kTargAddrMid, 0},
              {arch::niu::kTargAddrHi, tile.packed()},
              {arch::niu::kAtLenBe, arch::niu::atomic_increment(address)},
              {arch::niu::kAtData, 1}});
    a.addi(isa::reg::s2, isa::reg::s2, 1);
  }
  enum Counter : int { kReads, kAcknowledged, kAtomics, kSent };
  void barrier(Counter counter) {
    using namespace isa::reg;
    a.li(t6, arch::niu_counter_address(noc_, kCounters[counter]));
    const isa::Label again = a.here();
    a.lw(t0, t6);
    a.bne(t0, kSaved[counter], again);
    a.fence();
  }

  /// Waits for everything, leaves the sum, and returns.
  image::Image finish(uint32_t sum) {
    using namespace isa::reg;
    for (const Counter counter : {kReads, kAcknowledged, kAtomics, kSent}) barrier(counter);
    a.li(t6, sum);
    a.sw(s4, t6);
    for (int i = 0; i < 5; ++i) a.lw(kSaved[i], sp, 4 * i);
    a.addi(sp, sp, 32);
    a.ret();
    return image::Image::from(a.finish(), name_);
  }

 private:
  struct Setting {
    uint32_t offset, value;
  };
  void issue(int buffer, std::initializer_list<Setting> settings) {
    using namespace isa::reg;
    a.li(t6, arch::niu_address(noc_, buffer, 0));
    const isa::Label taken = a.here();
    a.lw(t0, t6, arch::niu::kCmdCtrl);
    a.bnez(t0, taken);
    for (const Setting& s : settings) {
      a.li(t5, s.value);
      a.sw(t5, t6, static_cast<int32_t>(s.offset));
    }
    a.li(t5, arch::niu::kCmdCtrlIssue);
    a.sw(t5, t6, arch::niu::kCmdCtrl);
  }

  static constexpr isa::Reg kSaved[] = {isa::reg::s0, isa::reg::s1, isa::reg::s2, isa::reg::s3, isa::reg::s4};
  static constexpr int kCounters[] = {arch::niu::kMstRdRespReceived, arch::niu::kMstWrAckReceived,
                                      arch::niu::kMstAtomicRespReceived, arch::niu::kMstNonpostedWrReqSent};
  int noc_;
  std::string name_;
  isa::Assembler a;
};

}  // namespace kerr::random_programs
