#include "loops/scalar/plan.hpp"

#include <algorithm>
#include <bit>

#include "loops/scalar/work_area.hpp"

namespace kerr::loops::scalar {
namespace {

constexpr uint32_t kCacheBytes = 512 * 1024;        // of a hart
constexpr uint32_t kWholeBytes = 16 * 1024;         // a parameter up to this is read whole
constexpr uint32_t kReusedWholeBytes = 64 * 1024;   // one that is read in a loop inside of what harts share

// A register becomes scalars when every access names its element and has its type.
std::vector<bool> arrays_of(const Program& program) {
  std::vector<bool> is_array(program.registers.size());
  for (size_t i = 0; i < program.registers.size(); ++i) is_array[i] = program.registers[i].count > 256;
  for (const Instruction& i : program.body) {
    if ((i.verb != Verb::Load && i.verb != Verb::Store) || i.address.space != Address::Space::Register) continue;
    const Register& reg = program.registers[i.address.index];
    const bool plain = i.address.element.is_number() && i.address.element.bits < reg.count && i.address.unit == reg.type &&
                       i.type == VectorType{reg.type, 1};
    if (!plain) is_array[i.address.index] = true;
  }
  return is_array;
}

}  // namespace

Plan make_plan(const Program& program, const Facts& facts) {
  Plan plan;
  plan.nest = find_nest(program);
  const size_t parameters = program.parameters.size();
  plan.object_of.resize(parameters);
  std::vector<uint32_t> numbers(facts.object.begin(), facts.object.end());
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  plan.objects.resize(numbers.size());
  std::vector<uint32_t> parameters_of(numbers.size());
  for (size_t p = 0; p < parameters; ++p) {
    plan.object_of[p] =
        static_cast<uint32_t>(std::lower_bound(numbers.begin(), numbers.end(), facts.object[p]) - numbers.begin());
    plan.objects[plan.object_of[p]].bytes += program.parameters[p].bytes();
    ++parameters_of[plan.object_of[p]];
  }
  std::vector<bool> loaded(numbers.size()), reused(numbers.size());
  bool polls = false;
  uint32_t inner = 0, polling = 0;
  for (uint32_t at = 0; at < program.body.size(); ++at) {
    const Instruction& i = program.body[at];
    if (i.verb == Verb::Loop && !plan.nest.holds(at)) ++inner;
    if (i.verb == Verb::EndLoop && !plan.nest.holds(i.partner)) --inner;
    if (i.verb == Verb::Do) ++polling;
    if (i.verb == Verb::While) --polling;
    if ((i.verb != Verb::Load && i.verb != Verb::Store) || i.address.space != Address::Space::Parameter) continue;
    Object& object = plan.objects[plan.object_of[i.address.index]];
    if (i.verb == Verb::Store) {
      object.stored = true;
    } else if (polling != 0) {
      polls = true;
    } else {
      loaded[plan.object_of[i.address.index]] = true;
      if (inner != 0) reused[plan.object_of[i.address.index]] = true;
    }
  }

  uint32_t end = Work::First;
  const auto reserve = [&](uint64_t bytes, uint32_t align) {
    end = (end + align - 1) & ~(align - 1);
    const uint32_t at = end;
    end += static_cast<uint32_t>(bytes);
    return at;
  };
  uint32_t cached = 0, whole = 0;
  for (size_t o = 0; o < plan.objects.size(); ++o) {
    Object& object = plan.objects[o];
    object.words = reserve(ObjectWords::Bytes, 4);
    if (!loaded[o]) continue;
    const uint64_t most = reused[o] ? kReusedWholeBytes : kWholeBytes;
    if (object.stored) {
      object.reads = Object::Reads::InOrder;
    } else if (parameters_of[o] == 1 && object.bytes <= most && whole + object.bytes <= kCacheBytes / 2) {
      object.reads = Object::Reads::Whole;
      whole += static_cast<uint32_t>(object.bytes) + 2 * kLineBytes;
      continue;
    } else {
      object.reads = Object::Reads::Cached;
    }
    ++cached;
  }
  const uint32_t share = cached == 0 ? 0 : std::max(std::bit_floor((kCacheBytes - std::min(whole, kCacheBytes / 2)) / kLineBytes / cached), 1u);
  for (Object& object : plan.objects) {
    if (object.reads == Object::Reads::None) continue;
    const uint64_t lines = (object.bytes + kLineBytes - 2) / kLineBytes + 1;
    if (object.reads == Object::Reads::Whole) {
      object.sets = static_cast<uint32_t>(lines);
    } else {
      object.sets = static_cast<uint32_t>(std::min<uint64_t>(std::bit_ceil(lines), share));
      object.tags = reserve(8 * object.sets, 8);
    }
  }
  plan.is_array = arrays_of(program);
  plan.array_offset.resize(program.registers.size());
  for (size_t r = 0; r < program.registers.size(); ++r)
    if (plan.is_array[r]) plan.array_offset[r] = reserve((program.registers[r].bytes() + 7) & ~7ull, 8);
  for (Object& object : plan.objects) {
    if (object.stored) object.write_lines = reserve(2 * kLineBytes, 2 * kLineBytes);
  }
  if (polls) plan.fetch_line = reserve(kLineBytes, kLineBytes);
  for (Object& object : plan.objects) {
    if (object.reads != Object::Reads::None) object.lines = reserve(uint64_t{object.sets} * kLineBytes, kLineBytes);
  }
  plan.more_slots = reserve(0, 16);
  return plan;
}

}  // namespace kerr::loops::scalar
