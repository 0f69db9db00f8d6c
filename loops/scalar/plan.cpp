#include "loops/scalar/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "loops/scalar/work_area.hpp"

namespace kerr::loops::scalar {
namespace {

constexpr uint32_t kWholeBytes = 16 * 1024;  // a parameter up to this is read whole
constexpr uint32_t kMostLinesOfWindow = 8;
// So many in all of parameters from this size on, if that leaves half of the memory: tiles are gathered from 32 rows,
// the next ones again from the same lines.
constexpr uint32_t kMostLinesOfLarge = 128;
constexpr uint64_t kLarge = 256 * 1024;
constexpr uint32_t kSmallestLineShift = 6;         // DRAM and L1 addresses agree in so many low bits
constexpr uint64_t kSetsOfAPlace = 4;              // lines of different places seldom share one then
constexpr uint32_t kReusedWholeBytes = 64 * 1024;  // one that is read in a loop inside of what harts share

// A register becomes scalars when every access names its element and has its type.
std::vector<bool> arrays_of(const Program& program) {
  std::vector<bool> is_array(program.registers.size());
  for (size_t i = 0; i < program.registers.size(); ++i) is_array[i] = program.registers[i].count > 256;
  for (const Instruction& i : program.body) {
    if ((i.verb != Verb::Load && i.verb != Verb::Store) || i.address.space != Address::Space::Register) continue;
    const Register& reg = program.registers[i.address.index];
    const bool plain = i.address.element.is_number() && i.address.element.bits < reg.count &&
                       i.address.unit == reg.type && i.type == VectorType{reg.type, 1};
    if (!plain) is_array[i.address.index] = true;
  }
  return is_array;
}

uint32_t cached_loads(const Program& program, const Plan& plan) {
  uint32_t loads = 0;
  for (const Instruction& i : program.body) {
    loads += i.verb == Verb::Load && i.address.space == Address::Space::Parameter &&
             plan.objects[plan.object_of[i.address.index]].reads == Object::Reads::Cached;
  }
  return loads;
}

std::vector<bool> stores_alone(const Program& program, const Plan& plan) {
  const auto count = static_cast<uint32_t>(program.body.size());
  std::vector<bool> alone(count);
  std::vector<std::vector<uint32_t>> seen{
      {}};  // objects stored to in the loops that are open, and in those inside them
  std::vector<std::vector<uint32_t>> sites{{}};
  for (uint32_t at = 0; at < count; ++at) {
    const Instruction& i = program.body[at];
    if (i.verb == Verb::Loop || i.verb == Verb::Do) {
      seen.emplace_back();
      sites.emplace_back();
    }
    if (i.verb == Verb::Store && i.address.space == Address::Space::Parameter) {
      seen.back().push_back(plan.object_of[i.address.index]);
      sites.back().push_back(at);
    }
    if (i.verb != Verb::EndLoop && i.verb != Verb::While) continue;
    // A loop of many stores has none that is worth a look.
    for (uint32_t site : sites.back()) {
      if (seen.back().size() > 64) break;
      const uint32_t object = plan.object_of[program.body[site].address.index];
      alone[site] = std::count(seen.back().begin(), seen.back().end(), object) == 1;
    }
    const std::vector<uint32_t> inside = std::move(seen.back());
    seen.pop_back();
    sites.pop_back();
    if (seen.back().size() <= 64) seen.back().insert(seen.back().end(), inside.begin(), inside.end());
  }
  return alone;
}

}  // namespace

Plan make_plan(const Program& program, const Facts& facts, uint64_t places, const std::vector<bool>& uses_cache) {
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
  uint64_t longest = kSetsOfAPlace * std::min<uint64_t>(places, kMostWork);  // of the loops inside of what harts share
  for (uint32_t at = 0; at < program.body.size(); ++at) {
    const Instruction& i = program.body[at];
    if (i.verb == Verb::Loop && !plan.nest.holds(at)) {
      ++inner;
      if (i.operands[0].is_number()) longest = std::max(longest, i.operands[0].bits);
    }
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
    } else if (parameters_of[o] == 1 && object.bytes <= most && whole + object.bytes <= kMostWork / 2) {
      object.reads = Object::Reads::Whole;
      whole += static_cast<uint32_t>(object.bytes) + 2 * kPageBytes;
      continue;
    } else {
      object.reads = Object::Reads::Cached;
    }
    if (uses_cache.empty() || uses_cache[o]) ++cached;
  }
  plan.is_array = arrays_of(program);
  plan.array_offset.resize(program.registers.size());
  for (size_t r = 0; r < program.registers.size(); ++r) {
    if (!plan.is_array[r]) continue;
    if (program.registers[r].bytes() > kMostWork || end > kMostWork) {
      throw std::invalid_argument(
          fmt::format("program '{}': its registers need more than the {} bytes of a hart", program.name, kMostWork));
    }
    plan.array_offset[r] = reserve((program.registers[r].bytes() + 7) & ~7ull, 8);
  }
  for (Object& object : plan.objects) {
    if (object.stored) object.write_lines = reserve(2 * kLineBytes, 2 * kLineBytes);
  }
  if (cached_loads(program, plan) != 0) {
    plan.windows = std::min(cached_loads(program, plan), 32u);
    const bool large = std::ranges::any_of(
        plan.objects, [](const Object& o) { return o.reads == Object::Reads::Cached && o.bytes >= kLarge; });
    const bool fits = end + whole + kMostLinesOfLarge * kLineBytes <= kMostWork / 2;
    const uint32_t most = large && fits ? kMostLinesOfLarge / plan.windows
                                        : std::min(kMostLinesOfWindow, 32 / std::max(plan.windows, 1u));
    plan.lines_of_window = std::max(std::bit_floor(most), 1u);
    plan.window_tags = reserve(4 * plan.windows * plan.lines_of_window, 4);
    plan.window_lines = reserve(plan.windows * plan.lines_of_window * kLineBytes, kLineBytes);
  }
  plan.alone = stores_alone(program, plan);
  if (polls) plan.fetch_line = reserve(kLineBytes, kLineBytes);
  // What is left, but for tags and slots of registers, in equal parts.
  const uint32_t taken = end + whole + 16 * 1024;
  const uint32_t share =
      cached == 0 || taken >= kMostWork ? 1 : std::max(std::bit_floor((kMostWork - taken) / kLineBytes / cached), 1u);
  for (Object& object : plan.objects) {
    if (object.reads == Object::Reads::None) continue;
    const uint64_t lines = (object.bytes + kLineBytes - 2) / kLineBytes + 1;
    if (object.reads == Object::Reads::Whole) {
      const uint64_t pages = (object.bytes + kPageBytes - 2) / kPageBytes + 1;
      plan.whole_pages += static_cast<uint32_t>(pages);
      object.sets = static_cast<uint32_t>(pages * (kPageBytes / kLineBytes));
    } else {
      object.sets = static_cast<uint32_t>(std::min<uint64_t>(std::bit_ceil(lines), share));
      if (!uses_cache.empty() && !uses_cache[static_cast<size_t>(&object - plan.objects.data())]) object.sets = 1;
      if (object.reads == Object::Reads::Cached && object.sets > 1 && lines > object.sets) {
        // A loop that goes down a column shall find the lines again when it goes down the next one.
        object.folded = true;
        while (object.line_shift > kSmallestLineShift && object.sets < longest) {
          object.sets *= 2;
          --object.line_shift;
        }
      }
      object.tags = reserve(8 * object.sets, 8);
    }
  }
  for (Object& object : plan.objects) {
    if (object.reads != Object::Reads::None)
      object.lines = reserve(uint64_t{object.sets} << object.line_shift, kLineBytes);
  }
  plan.more_slots = reserve(0, 16);
  return plan;
}

}  // namespace kerr::loops::scalar
