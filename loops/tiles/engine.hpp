// Products of matrices in scratch memory, by the matrix unit or the vector unit.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "host/runtime/chip.hpp"
#include "loops/tiles/layout.hpp"
#include "loops/types.hpp"

namespace kerr::loops::tiles {

enum class Engine : uint8_t {
  Matrix,  // factors in bf16, each product within 2^-11 of the largest of eight; infinities and NaN are none
  Vector,  // f32
};
std::string_view name_of(Engine engine);  // "the matrix unit"
/// Of the elements of both factors.
inline Type type_of_factors(Engine engine) { return engine == Engine::Matrix ? Type::Bf16 : Type::F32; }

/// C = A x B for each of the batch: A is m x k, B is k x n; at least 1 each.
struct ProductShape {
  uint32_t batch = 1, m = 1, n = 1, k = 1;
  uint64_t products() const { return uint64_t{batch} * m * n * k; }
};
/// False for a shape beyond what the engine can do.
bool can_multiply(Engine engine, const ProductShape& shape);

/// Where matrices lie. Elements that the shape does not have are 0 in A and B, and anything in C.
/// This is how they are about: what the cores of a chip make of it may be larger.
ProductLayouts usual_layouts(Engine engine, const ProductShape& shape);
/// Estimated time of a thread of the emulator, padding included.
double nanoseconds(Engine engine, const ProductShape& shape);

/// A product on the cores of a chip. Not thread-safe.
class Product {
 public:
  virtual ~Product() = default;
  virtual const ProductLayouts& layouts() const = 0;
  /// Runs to the end. Throws host::DeviceError.
  virtual void run(host::Chip& chip, const host::Buffer& a, const host::Buffer& b, const host::Buffer& c,
                   const host::Deadline& deadline) = 0;
};
/// `harts`: of data movement, at most; the vector unit's products take one core for each two of them.
/// Throws std::invalid_argument with a sentence if the chip has no place for it.
/// `sums`: F32; of the matrix unit also Bf16, rounded to the nearest, halves to the even one.
std::unique_ptr<Product> make_product(Engine engine, const ProductShape& shape, const host::Chip& chip, uint32_t harts,
                                      Type sums = Type::F32);

}  // namespace kerr::loops::tiles
