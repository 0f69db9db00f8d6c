// A kernel says what it uses, where that is a constant: pairs of words in a section that is not loaded. Program's
// checks read them (image::Use); numbers known only at run time leave no trace. Costs no instruction.
#pragma once

#include "device/hart.hpp"
#include "image/use_kind.hpp"

namespace kerr::device {

using Use = image::UseKind;

}  // namespace kerr::device

// A macro: the value must be seen as a constant where it is used.
#define KERR_USES(use, value)                                                                                 \
  do {                                                                                                        \
    if (__builtin_constant_p(value))                                                                          \
      asm inline volatile(".pushsection .kerr.uses,\"\",@progbits\n\t.word %0, %1\n\t.popsection" ::"i"(use), \
                          "i"(value));                                                                        \
  } while (0)

// For numbers that kerr_add_kernel gives; not in a function.
#define KERR_USES_NUMBER(use, value) KERR_USES_TEXT(use, value)
#define KERR_USES_TEXT(use, value) \
  asm(".pushsection .kerr.uses,\"\",@progbits\n\t.word " #use ", " #value "\n\t.popsection")

// What it was compiled for. Assembler text has numbers where C++ has names.
static_assert(static_cast<uint32_t>(kerr::device::Use::Hart) == 7 &&
              static_cast<uint32_t>(kerr::device::Use::Noc) == 1 &&
              static_cast<uint32_t>(kerr::device::Use::StartUp) == 0);  // start.S
KERR_USES_NUMBER(7, KERR_HART);
#if KERR_HART < 2
KERR_USES_NUMBER(1, NOC_INDEX);
#endif
