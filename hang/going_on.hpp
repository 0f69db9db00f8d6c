// Harts of a tile that go on from where they stand, apart from the machine.   docs/architecture.md "Hangs"
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "arch/memory_map.hpp"
#include "isa/riscv/instructions.hpp"

namespace kerr::hang {

/// A word of memory: of L1, or of the local memory of a hart.
struct WordAt {
  static constexpr uint8_t kL1 = 0xFF;
  uint8_t of = kL1;  // whose local memory: an index of GoingOn::harts()
  uint32_t address = 0;
  friend auto operator<=>(const WordAt&, const WordAt&) = default;
};

struct Executed {
  uint8_t who = 0;  // an index of GoingOn::harts()
  uint32_t pc = 0;
  isa::riscv::Instruction instruction;
  uint32_t a = 0, b = 0;  // x[rs1] and x[rs2] before it
  uint32_t result = 0;    // x[rd] behind it
  bool loads = false, stores = false;
  bool fixed = false;              // it loads from a register
  WordAt at;                       // of a load or store
  uint32_t before = 0, after = 0;  // the word there
};

/// Nobody but these harts acts, and they do only what is followed here: compute, jump, and access L1, their own local
/// memory and, reading, registers that change by nobody's reading and by no time. Changes nothing of the machine.
class GoingOn {
 public:
  struct HartAt {
    arch::Hart hart = arch::Hart::Brisc;
    uint32_t pc = 0;
    std::array<uint32_t, 32> x{};
  };
  struct Tile {
    uint32_t l1_bytes = 0;
    /// What the hart would load at an aligned address; nothing where that cannot be looked at.
    std::function<std::optional<uint32_t>(arch::Hart hart, uint32_t address, uint32_t bytes)> load;
    std::function<bool(arch::Hart hart, uint32_t address)> is_local;
  };

  GoingOn(Tile tile, std::vector<HartAt> harts);

  /// Lets one hart execute `steps` instructions. False: it came to one that cannot be followed.
  bool run(size_t who, size_t steps);
  const std::vector<HartAt>& harts() const { return harts_; }  // where they stand by now
  const std::vector<HartAt>& first() const { return first_; }  // where they began
  const std::vector<Executed>& steps() const { return steps_; }
  /// Why run() gave false.
  const std::string& obstacle() const { return obstacle_; }

 private:
  struct Memory;

  const isa::riscv::Instruction* instruction(size_t who, uint32_t pc);
  std::optional<WordAt> word_at(size_t who, uint32_t address, uint32_t bytes) const;
  uint32_t value_of(size_t who, const WordAt& word) const;

  const Tile tile_;
  const std::vector<HartAt> first_;
  std::vector<HartAt> harts_;
  std::vector<Executed> steps_;
  std::string obstacle_;
  struct Hash {
    size_t operator()(const WordAt& w) const { return uint64_t{w.of} << 32 | w.address; }
  };
  std::unordered_map<WordAt, uint32_t, Hash> written_;
  std::unordered_map<uint32_t, isa::riscv::Instruction> decoded_;
};

}  // namespace kerr::hang
