// A step of a launch that scalar code does: a program made of a part of the original one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "loops/scalar/compile.hpp"
#include "loops/tiles/maker.hpp"
#include "loops/tiles/plan.hpp"

namespace kerr::loops::tiles {

/// A part of a program on bytes of the host. `scratch`: of source kScratch + k, the k-th. `numbers`: of the part's own
/// variables.
void run(const Made& made, Check& check, std::span<const std::span<std::byte>> scratch,
         std::span<const int64_t> numbers);

class Part {
 public:
  Part(Made made, const arch::Harvesting& harvesting, const CompileOptions& options);

  /// `scratch`: of source kScratch + k, the k-th. `numbers`: of the part's own variables.
  void run(const Launch& launch, std::span<const host::Buffer> scratch, std::span<const int64_t> numbers) const;
  /// The same on bytes of the host. `scratch`: as above.
  void run(Check& check, std::span<const std::span<std::byte>> scratch, std::span<const int64_t> numbers) const;

 private:
  Made made_;
  scalar::Code code_;
};

}  // namespace kerr::loops::tiles
