#include "loops/scalar/routines.hpp"

#include <string>

#include "loops/scalar/routines/bodies.hpp"

namespace kerr::loops::scalar {
namespace {

struct Row {
  std::string_view name;
  void (*body)(isa::Assembler&, Routines&);
};
constexpr Row kRows[] = {
#define ARITHMETIC(routine, verb, type) {#routine, body<Routine::routine>},
#define CONVERSION(routine, to, from) {#routine, body<Routine::routine>},
#define INTERNAL(routine) {#routine, body<Routine::routine>},
#include "loops/scalar/routines.def"
};
static_assert(std::size(kRows) == kRoutines);

const Row& row(Routine routine) { return kRows[static_cast<size_t>(routine)]; }

}  // namespace

std::string_view name(Routine routine) { return row(routine).name; }

std::optional<Routine> arithmetic_routine(Verb verb, Type type) {
  if (type == Type::U64 && (verb == Verb::Mul || verb == Verb::Shl)) type = Type::I64;
#define ARITHMETIC(routine, of_verb, of_type) \
  if (verb == Verb::of_verb && type == Type::of_type) return Routine::routine;
#define CONVERSION(routine, to, from)
#define INTERNAL(routine)
#include "loops/scalar/routines.def"
  return std::nullopt;
}

std::optional<Routine> conversion_routine(Type to, Type from) {
#define ARITHMETIC(routine, verb, type)
#define CONVERSION(routine, to_type, from_type) \
  if (to == Type::to_type && from == Type::from_type) return Routine::routine;
#define INTERNAL(routine)
#include "loops/scalar/routines.def"
  return std::nullopt;
}

isa::Label Routines::of(Routine routine) {
  isa::Label& label = labels_[static_cast<size_t>(routine)];
  if (label.id == isa::Label().id) {
    label = assembler_.label("loops." + std::string(name(routine)));
    assembler_.mark_function(label);
    pending_.push_back(routine);
  }
  return label;
}

void Routines::emit() {
  while (!pending_.empty()) {
    const Routine routine = pending_.back();
    pending_.pop_back();
    assembler_.bind(of(routine));
    row(routine).body(assembler_, *this);
  }
}

}  // namespace kerr::loops::scalar
