// Arithmetic of the coprocessor never allocates: every `new` of this program is counted.
#include <cstdlib>
#include <new>

#include "tests/emu/tensix/tensix_fixture.hpp"

namespace {
unsigned long allocations = 0;
}

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes != 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace kerr::emu {
namespace {

using namespace isa::tensix;

class Allocation : public Tensix {
 protected:
  /// Of `turns` times the instructions, when they have been executed once before.
  template <class... Is>
  unsigned long of(int thread, const Is&... instructions) {
    push(thread, instructions...);
    settle();
    const std::uint64_t executed = cop().instructions(thread);
    const unsigned long before = allocations;
    for (int n = 0; n < kTurns; ++n) {
      push(thread, instructions...);
      settle();
    }
    const unsigned long made = allocations - before;
    EXPECT_EQ(cop().instructions(thread), executed + kTurns * sizeof...(instructions));
    return made;
  }
  static constexpr int kTurns = 20;
};

TEST_F(Allocation, IsCounted) {
  const unsigned long before = allocations;
  ::operator delete(::operator new(1));  // a call, which no compiler leaves out
  EXPECT_EQ(allocations, before + 1);
}

TEST_F(Allocation, NoneInTheMatrixUnit) {
  push(T1, SETDVALID{.setvalid = 3});
  EXPECT_EQ(of(T1, MVMUL{}, ELWADD{}, ELWMUL{}, GAPOOL{.instr_mod19 = 1}), 0u);
}

TEST_F(Allocation, NoneInTheVectorUnit) {
  EXPECT_EQ(of(T1, SFPLOAD{.instr_mod0 = 2, .lreg_ind = 0}, SFPMAD{.lreg_dest = 0, .lreg_src_c = 3, .lreg_src_b = 2},
               SFPIADD{.instr_mod1 = 4, .lreg_dest = 1}, SFPSETCC{.lreg_c = 1}, SFPENCC{},
               SFPSTORE{.instr_mod0 = 2, .lreg_ind = 1}),
            0u);
}

}  // namespace
}  // namespace kerr::emu
