#include "firmware/embedded.hpp"

// Each file becomes read-only data between two hidden symbols.
#define EMBED(symbol, file)                        \
  asm(".pushsection .rodata\n"                     \
      ".balign 16\n"                               \
      ".globl " #symbol "_begin, " #symbol "_end\n" \
      ".hidden " #symbol "_begin, " #symbol "_end\n" \
      #symbol "_begin:\n"                          \
      ".incbin \"" KERR_IMAGE_DIR "/" file "\"\n"  \
      #symbol "_end:\n"                            \
      ".popsection\n");                            \
  extern "C" const std::byte symbol##_begin[];     \
  extern "C" const std::byte symbol##_end[];

#define X(name)                          \
  EMBED(kerr_image_##name, #name ".bin") \
  EMBED(kerr_image_elf_##name, #name ".elf")
KERR_EMBEDDED_IMAGES(X)
#undef X

namespace kerr::firmware {

#define X(name)                                                        \
  EmbeddedImage embedded_##name() {                                    \
    return {{kerr_image_##name##_begin, kerr_image_##name##_end},      \
            {kerr_image_elf_##name##_begin, kerr_image_elf_##name##_end}}; \
  }
KERR_EMBEDDED_IMAGES(X)
#undef X

}  // namespace kerr::firmware
