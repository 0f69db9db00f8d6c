// The registers of a loop program: those whose elements are named lie in registers of the hart, the others in working
// memory.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "loops/program.hpp"
#include "loops/scalar/builder.hpp"
#include "loops/scalar/plan.hpp"

namespace kerr::loops::scalar {

class Scalars {
 public:
  Scalars(Builder& builder, const Program& program, const Plan& plan, bool check_bounds);
  /// Zeros.
  void enter();

  bool is_array(uint32_t reg) const { return plan_.is_array[reg]; }
  /// An element, as it is in the line `at`, a load.
  Scalar read(const Address& address, uint32_t at);
  void write(const Address& address, Scalar value);
  /// What the line `at` makes may be made in the element that a later line stores it to: true with the element.
  bool made_for(uint32_t at, Scalar& element) const;

  Scalar load(const Instruction& i, RegId element, RegId high, uint8_t lane);
  void store(const Instruction& i, RegId element, RegId high, uint8_t lane, Scalar value);

 private:
  void find_lifetimes();
  uint32_t element_of(const Address& address) const {
    return first_[address.index] + static_cast<uint32_t>(address.element.bits);
  }
  RegId place(const Instruction& i, RegId element, RegId high, uint8_t lane, int32_t& offset);

  Builder& b_;
  const Program& program_;
  const Plan& plan_;
  bool check_bounds_;
  std::vector<uint32_t> first_;  // element of each register
  std::vector<Scalar> elements_;
  std::vector<Type> types_;         // of the elements
  std::vector<bool> in_place_;      // of each line: a load whose value is used up before the element changes
  std::vector<uint32_t> made_for_;  // of each line: element, or kNone
  static constexpr uint32_t kNone = ~0u;
};

/// Where a check of bounds stores to if it fails: nothing is there, so that the hart stops with a fault, which names
/// the line.
inline constexpr uint32_t kOutside = 0xFFAF0000;
/// Stores to kOutside unless lane `lane` of the access lies inside of `bytes`.
void check_inside(Builder& b, const Instruction& i, RegId element, RegId high, uint8_t lane, uint64_t bytes);
/// A number of the type at base + offset, and there.
Scalar load_from(Builder& b, Type type, RegId base, int32_t offset);
void store_to(Builder& b, Type type, Scalar value, RegId base, int32_t offset);
/// The same from and to bytes: load(k) gives the k-th, store(k, bits) takes the low 8 bits.
Scalar assemble(Builder& b, Type type, const std::function<RegId(uint32_t)>& load);
void take_apart(Builder& b, Type type, Scalar value, const std::function<void(uint32_t, RegId)>& store);

}  // namespace kerr::loops::scalar
