#include "hang/footprint.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "arch/memory_map.hpp"
#include "arch/noc_registers.hpp"
#include "arch/sync.hpp"
#include "isa/riscv/instructions.hpp"
#include "isa/tensix/instructions.hpp"
#include "isa/tensix/table.hpp"

namespace kerr::hang {

namespace {

using isa::riscv::Instruction;
using isa::riscv::Op;

// Registers whose value is a constant of the code.
class Constants {
 public:
  std::optional<uint32_t> operator[](uint8_t r) const { return values_[r]; }
  void follow(const Instruction& i) {
    std::optional<uint32_t> value;
    switch (i.op) {
      case Op::Lui: value = static_cast<uint32_t>(i.imm); break;
      case Op::Addi:
        if (values_[i.rs1]) value = *values_[i.rs1] + static_cast<uint32_t>(i.imm);
        break;
      case Op::Add:
        if (values_[i.rs1] && values_[i.rs2]) value = *values_[i.rs1] + *values_[i.rs2];
        break;
      default: break;
    }
    const isa::riscv::Kind kind = isa::riscv::row(i.op).kind;
    const bool writes = kind != isa::riscv::Kind::Store && kind != isa::riscv::Kind::Branch &&
                        kind != isa::riscv::Kind::Push && kind != isa::riscv::Kind::Float;
    if (writes && i.rd != 0) values_[i.rd] = value;
  }

 private:
  std::array<std::optional<uint32_t>, 32> values_{0u};
};

constexpr uint32_t kScalarBase = 0xFFB0'0000;  // STOREREG names words from here on

}  // namespace

Footprint::Footprint(const image::Image& image) {
  for (const image::Use& use : image.uses) {
    if (use.kind == image::Use::Kind::CircularBuffer) buffers.insert(use.value);
    if (use.kind == image::Use::Kind::Semaphore) semaphores.insert(use.value);
  }
  for (const image::Segment& segment : image.segments) {
    if (!segment.executable && image.segments.size() > 1) continue;
    Constants constants;
    for (size_t at = 0; at + 4 <= segment.bytes.size(); at += 4) {
      uint32_t word;
      std::memcpy(&word, segment.bytes.data() + at, 4);
      const Instruction i = isa::riscv::decode(word);
      const isa::riscv::Kind kind = isa::riscv::row(i.op).kind;
      if (kind == isa::riscv::Kind::Push) {
        push(static_cast<uint32_t>(i.imm));
      } else if (kind == isa::riscv::Kind::Store) {
        const std::optional<uint32_t> base = constants[i.rs1];
        if (!base) continue;
        const uint32_t address = *base + static_cast<uint32_t>(i.imm);
        if (address >= kScalarBase) stores.insert(address);
        if (address - arch::kInstructionPushBase < 3 * 0x10000) {
          pushes = true;
          if (const auto pushed = constants[i.rs2]) push(*pushed);
        }
        if (address - arch::kNiuBase < 2 * arch::kNiuStride) sends_atomics = true;
        const uint32_t semaphore = (address - arch::kSemaphoreBase) / 4;
        if (address >= arch::kSemaphoreBase && semaphore < arch::kSemaphores) {
          const std::optional<uint32_t> value = constants[i.rs2];
          if (!value || (*value & 1) == 0) posts |= static_cast<uint8_t>(1u << semaphore);
          if (!value || (*value & 1) != 0) gets |= static_cast<uint8_t>(1u << semaphore);
        }
      } else {
        constants.follow(i);
      }
    }
  }
}

void Footprint::push(uint32_t word) {
  using isa::tensix::Opcode;
  pushes = true;
  const isa::tensix::Row* const row = isa::tensix::row_of(word);
  if (row == nullptr) return;
  switch (isa::tensix::opcode_of(word)) {
    case Opcode::STOREREG: stores.insert(kScalarBase | isa::tensix::STOREREG::decode(word).reg_addr << 2); break;
    case Opcode::SEMPOST: posts |= static_cast<uint8_t>(isa::tensix::SEMPOST::decode(word).sem_sel); break;
    case Opcode::SEMGET: gets |= static_cast<uint8_t>(isa::tensix::SEMGET::decode(word).sem_sel); break;
    default: break;
  }
}

}  // namespace kerr::hang
