// Loads and stores of parameters: through lines in the working memory of the hart.
#pragma once

#include <cstdint>
#include <vector>

#include "loops/program.hpp"
#include "loops/scalar/builder.hpp"
#include "loops/scalar/memory.hpp"
#include "loops/scalar/plan.hpp"
#include "loops/scalar/pointers.hpp"

namespace kerr::loops::scalar {

class Access {
 public:
  Access(Builder& builder, const Program& program, const Plan& plan, const Facts& facts, const CompileOptions& options)
      : b_(builder), program_(program), plan_(plan), facts_(facts), options_(options), pointers_(builder) {}

  /// Prepares every object, and reads those that are read whole.
  void enter();
  /// Sends what still waits.
  void leave();
  /// Loads in between see what others have stored since.
  void enter_polling() { ++polling_; }
  void leave_polling() { --polling_; }
  /// A word of the common arguments; before anything else is made.
  RegId argument(uint32_t offset);

  /// Says for each object whether a load goes to its cache.
  const std::vector<bool>& uses_cache() const { return uses_cache_; }

  /// The pointers of loops that are open.
  Pointers& pointers() { return pointers_; }

  Scalar load(const Instruction& i, const Index& index, uint8_t lane);
  void store(const Instruction& i, const Index& index, uint8_t lane, Scalar value, bool alone);

 private:
  void prepare(const Object& object, uint32_t number);
  void forget(RegId tags, uint32_t count, int32_t stride);
  void preload(const Object& object, uint32_t parameter);
  void pass_words(const Object& object);
  bool in_bytes(const Instruction& i) const;
  RegId place_of(const Instruction& i, const Index& index, RegId start, int32_t& displacement);
  RegId offset_of(const Instruction& i, const Index& index, RegId start, uint32_t more);
  RegId read_window(const Object& object, Pointers::Window& window);
  void raise_dirty_high();
  void store_window(const Object& object, Pointers::Window& window, Type type, Scalar value);
  RegId line_address(const Object& object, RegId offset, bool polls);
  void store_piece(const Object& object, RegId offset, uint32_t bytes, const std::function<void(RegId)>& store);

  struct ParameterBase {
    RegId view = kZero;   // offset of the view in its buffer
    RegId whole = kZero;  // address of element 0 where all is read at the beginning
  };

  Builder& b_;
  const Program& program_;
  const Plan& plan_;
  const Facts& facts_;
  const CompileOptions& options_;
  Pointers pointers_;
  uint32_t read_windows_ = 0;  // how many lines of plan_.window_lines are taken
  RegId arguments_ = kZero;
  std::vector<ParameterBase> bases_;  // of each parameter
  std::vector<RegId> tags_;           // of each object
  std::vector<bool> uses_cache_;
  uint32_t polling_ = 0;
};

}  // namespace kerr::loops::scalar
