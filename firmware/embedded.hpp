#pragma once

#include <cstddef>
#include <span>

// Bytes of the files that the build made.
namespace kerr::firmware {

// X(name): NAME.bin and NAME.elf.
#define KERR_EMBEDDED_IMAGES(X) \
  X(brisc) X(ncrisc) X(trisc0) X(trisc1) X(trisc2) \
  X(cq_prefetch) X(cq_dispatch) X(cq_dispatch_s) \
  X(cq_prefetch_h) X(cq_prefetch_d) X(cq_dispatch_h) X(cq_dispatch_d)

struct EmbeddedImage {
  std::span<const std::byte> text;
  std::span<const std::byte> elf;
};

#define X(name) EmbeddedImage embedded_##name();
KERR_EMBEDDED_IMAGES(X)
#undef X

}  // namespace kerr::firmware
