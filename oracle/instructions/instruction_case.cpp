#include "oracle/instructions/instruction_case.hpp"

#include <stdexcept>

#include "arch/bytes.hpp"
#include "isa/tensix/table.hpp"
#include "oracle/instructions/bodies.hpp"
#include "oracle/run.hpp"

namespace kerr::oracle {
namespace {

const Bodies& bodies() {
  static const Bodies all = [] {
    Bodies out;
    add_scalar_bodies(out);
    add_config_bodies(out);
    add_counter_bodies(out);
    add_sync_bodies(out);
    add_matrix_bodies(out);
    add_conversion_bodies(out);
    add_vector_bodies(out);
    return out;
  }();
  return all;
}

// Thread 0's unpacker counters and thread 2's packer counters are visible, so those two; any thread elsewhere.
Hart choose_hart(std::mt19937& random) {
  constexpr std::array kHarts{Hart::Trisc0, Hart::Trisc0, Hart::Trisc1, Hart::Trisc2};
  return kHarts[random() % kHarts.size()];
}

}  // namespace

InstructionCase make_instruction_case(std::string_view mnemonic, unsigned seed) {
  const isa::tensix::Row* const row = isa::tensix::find(mnemonic);
  if (row == nullptr) throw std::out_of_range("no instruction is called " + std::string(mnemonic));
  std::mt19937 random(seed + 1000003 * crc32(arch::as_uint8(mnemonic)));
  InstructionCase out;
  CaseMaker maker(random, out, choose_hart(random));
  if (const auto body = bodies().find(mnemonic); body != bodies().end()) {
    body->second(maker);
  } else {
    any_operands(maker, *row);
  }
  return out;
}

uint32_t program_checksum(const TileCase& c) {
  std::vector<uint8_t> all;
  const auto word = [&](uint32_t v) {
    for (unsigned k = 0; k < 32; k += 8) all.push_back(static_cast<uint8_t>(v >> k));
  };
  for (const TileCase::Memory& m : c.before) {
    word(m.address);
    all.insert(all.end(), m.bytes.begin(), m.bytes.end());
  }
  for (const auto& [hart, program] : c.programs) {
    word(place_of(hart));
    for (const uint32_t v : program.finish(0, 1)) word(v);
  }
  for (const TileCase::Region& r : c.after) word(r.address), word(r.bytes);
  return crc32(all);
}

}  // namespace kerr::oracle
