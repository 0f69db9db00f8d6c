// What circular buffers cost in software: docs/hardware/timing.md 6. The sequences are those of the measured library
// (boopdotpng/blackhole-py, ttk/cb.py of June 2026): it keeps an interface of seven words in local memory (base, end,
// page, pages, read and write pointer, both counters in one word), and its shared counters are stream registers.
#include "arch/stream_registers.hpp"
#include "tests/timing/lone_chip.hpp"
#include "tests/timing/micro.hpp"

namespace kerr::timing_tests {

using namespace isa::reg;
using emu::Kernel;

namespace {

constexpr uint32_t kInterface = 0xFFB0'0020;
enum Word : int32_t {
  kBase = 0,
  kEnd = 4,
  kPage = 8,
  kPages = 12,
  kReadPointer = 16,
  kWritePointer = 20,
  kCounters = 24
};
constexpr uint32_t kPageBytes = 2048, kPageCount = 0x8000;
constexpr uint32_t kAcked = 0xFFB4'8020, kReceived = 0xFFB4'8028;  // of circular buffer 0

constexpr isa::Reg kMine = t0;  // the interface's address

void load(Kernel& k, isa::Reg to, Word word) { k.lw(to, kMine, word); }
void store(Kernel& k, Word word, isa::Reg from) { k.sw(from, kMine, word); }
void load_half(Kernel& k, isa::Reg to, uint32_t address) {
  k.li(t1, address);
  k.lhu(to, t1);
}
void store(Kernel& k, uint32_t address, isa::Reg from) {
  k.li(t1, address);
  k.sw(from, t1);
}

// The sender has sent so much, the receiver taken so much.
Payload interface(uint32_t received, uint32_t acked) {
  return [=](Kernel& k) {
    for (const auto& [word, value] : {std::pair{kBase, kData},
                                      {kEnd, kData + kPageBytes * kPageCount},
                                      {kPage, kPageBytes},
                                      {kPages, kPageCount},
                                      {kReadPointer, kData},
                                      {kWritePointer, kData},
                                      {kCounters, received << 16 | acked}})
      k.store_word(kInterface + static_cast<uint32_t>(word), value);
    k.store_word(kReceived, received);
    k.store_word(kAcked, acked);
    k.fence();
  };
}

void advance(Kernel& k, Word pointer) {
  load(k, a3, pointer);
  load(k, a4, kPage);
  k.add(a3, a3, a4);
  load(k, a4, kEnd);
  const isa::Label inside = k.label();
  k.bltu(a3, a4, inside);
  load(k, a4, kBase);
  k.sub(a3, a3, a4);
  k.bind(inside);
  store(k, pointer, a3);
}

void wait_front(Kernel& k) {
  k.li(kMine, kInterface);
  load(k, a3, kCounters);
  k.slli(a4, a3, 16);
  k.srli(a4, a4, 16);
  k.li(a6, 1);
  const isa::Label again = k.here(), done = k.label();
  load_half(k, a5, kReceived);
  k.sub(a5, a5, a4);
  k.li(a6, 1);
  k.bgeu(a5, a6, done);
  k.fence();
  k.j(again);
  k.bind(done);
  k.fence();
}

void reserve_back(Kernel& k) {
  k.li(kMine, kInterface);
  load(k, a4, kCounters);
  k.srli(a4, a4, 16);
  const isa::Label again = k.here(), done = k.label();
  load_half(k, a5, kAcked);
  k.sub(a5, a4, a5);
  load(k, a6, kPages);
  k.sub(a5, a6, a5);
  k.li(a7, 1);
  k.bge(a5, a7, done);
  k.fence();
  k.j(again);
  k.bind(done);
  k.fence();
}

void push_back(Kernel& k) {
  k.li(kMine, kInterface);
  advance(k, kWritePointer);
  load(k, a3, kCounters);
  k.slli(a4, a3, 16);
  k.srli(a4, a4, 16);
  k.srli(a5, a3, 16);
  k.addi(a5, a5, 1);
  k.slli(a5, a5, 16);
  k.or_(a3, a5, a4);
  store(k, kCounters, a3);
  k.srli(a5, a5, 16);
  store(k, kReceived, a5);
  k.fence();
}

void pop_front(Kernel& k) {
  k.li(kMine, kInterface);
  load(k, a3, kCounters);
  k.slli(a4, a3, 16);
  k.srli(a4, a4, 16);
  k.srli(a5, a3, 16);
  k.addi(a4, a4, 1);
  k.slli(a4, a4, 16);
  k.srli(a4, a4, 16);
  k.slli(a5, a5, 16);
  k.or_(a3, a5, a4);
  store(k, kCounters, a3);
  store(k, kAcked, a4);
  advance(k, kReadPointer);
  k.fence();
}

// A semaphore in L1, its address made anew in each turn; the library's helpers (ttk/noc.py) fence.
constexpr uint32_t kSemaphore = 0x3104;

void semaphore_set(Kernel& k) {
  k.li(s4, kSemaphore);
  k.li(t0, 1);
  k.sw(t0, s4);
  k.fence();
}

void semaphore_wait(Kernel& k) {
  k.li(s4, kSemaphore);
  k.li(t1, 1);
  const isa::Label again = k.here(), done = k.label();
  k.fence();
  k.lw(t0, s4);
  k.beq(t0, t1, done);
  k.j(again);
  k.bind(done);
  k.fence();
}

Micro helper(std::string name, double silicon, const Payload& prepare, const Payload& payload) {
  return {"Circular buffers and semaphores in software, BRISC: raw cycles of a loop",
          std::move(name),
          "cycles",
          silicon,
          0.05,
          "6",
          [=] { return cycles_per_turn({.prepare = prepare, .payload = payload}); }};
}

}  // namespace

std::vector<Micro> software_micros() {
  return {
      helper("wait_front, there is something", 26.028, interface(1, 0), wait_front),
      helper("reserve_back, there is room", 27.028, interface(0, 0), reserve_back),
      helper("push_back", 35.041, interface(0, 0), push_back),
      helper("pop_front", 35.541, interface(1000, 0), pop_front),
      missed(helper("semaphore in L1, set", 16.023, nothing, semaphore_set)),
      helper("semaphore in L1, wait, it is there", 23.107, semaphore_set, semaphore_wait),
  };
}

}  // namespace kerr::timing_tests
