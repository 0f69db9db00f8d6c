#include "kernels/blocks/vector_unit.hpp"

#include <array>

#include "isa/tensix/instructions.hpp"
#include "kernels/blocks/dst_section.hpp"

namespace kerr::kernels {

namespace tx = isa::tensix;

void configure_vector_unit(Caller a) {
  constexpr std::array<Modifier, 2> kNoSteps{{{.index = 3}, {.index = 7}}};
  set_modifiers(a, kNoSteps);
  a->comment("every lane, and predicates on");
  a->tensix(tx::SFPCONFIG{.instr_mod1 = 1, .config_dest = 15, .imm16_math = 0});
  a->tensix(tx::SFPENCC{.instr_mod1 = 10, .imm12 = 3});
  a->tensix(tx::SFPCONFIG{.instr_mod1 = 1, .config_dest = 11, .imm16_math = 0});  // -1.0
}

void compute_group(Caller a, const vector::Emitted& code) {
  constexpr uint32_t kNextGroup = 2;  // four rows, even or odd columns
  for (const vector::Word& word : code.words) {
    if (!word.remark.empty()) a->comment(word.remark);
    a->ttinsn(word.word);
  }
  a->tensix(tx::INCRWC{.rwc_d = kNextGroup});
}

}  // namespace kerr::kernels
