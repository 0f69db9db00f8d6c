#include "loops/scalar/compile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "isa/assembler.hpp"
#include "loops/scalar/allocate.hpp"
#include "loops/scalar/emit.hpp"
#include "loops/scalar/hoist.hpp"
#include "loops/scalar/lower.hpp"
#include "loops/scalar/memory.hpp"
#include "loops/scalar/others.hpp"
#include "loops/scalar/plan.hpp"
#include "loops/scalar/routines.hpp"
#include "loops/scalar/work_area.hpp"

namespace kerr::loops::scalar {
namespace {

constexpr uint32_t kLargestText = 512 * 1024;
constexpr uint32_t kInstructionsOfAPage = 1000;  // a hart that only reads one costs as much as so many

std::string describe(const Object& object) {
  switch (object.reads) {
    case Object::Reads::None: return "not read";
    case Object::Reads::Whole: return "read whole at the beginning";
    case Object::Reads::Cached: return fmt::format("read in lines of {} bytes", 1u << object.line_shift);
    case Object::Reads::InOrder: return "read in lines of 1024 bytes, in order with what is stored";
  }
  return "";
}

}  // namespace

Facts usual_facts(const Program& program) {
  Facts facts;
  facts.object.resize(program.parameters.size());
  std::iota(facts.object.begin(), facts.object.end(), 0u);
  facts.misaligned.resize(program.parameters.size());
  return facts;
}

Code compile(const Program& program, const arch::Harvesting& harvesting, const CompileOptions& options) {
  return compile(program, harvesting, options, usual_facts(program));
}

namespace {

Code compile_as_it_is(const Program& program, const arch::Harvesting& harvesting, const CompileOptions& options,
                      const Facts& facts, uint64_t places) {
  Code code{.harvesting = harvesting, .options = options, .facts = facts, .hoisted = {}, .text = {}};
  code.others = std::make_shared<Code::Others>();
  Plan plan = make_plan(program, facts, places);
  std::vector<bool> uses_cache;
  Machine machine = lower(program, plan, facts, options, uses_cache);
  // Where a cache is too small for its object, and others are of no use, it gets their part.
  bool small = false, unused = false;
  for (size_t o = 0; o < plan.objects.size(); ++o) {
    small = small || plan.objects[o].folded;
    unused = unused || (plan.objects[o].reads == Object::Reads::Cached && !uses_cache[o]);
  }
  if (small && unused) {
    plan = make_plan(program, facts, places, std::vector<bool>(uses_cache));
    machine = lower(program, plan, facts, options, uses_cache);
  }
  const Allocation allocation = allocate(machine);
  code.work_bytes = plan.more_slots;
  if (allocation.slots > kLocalSlots) code.work_bytes += 4 * (allocation.slots - kLocalSlots);
  code.work_bytes = (code.work_bytes + 2 * kLineBytes - 1) & ~(2 * kLineBytes - 1);
  if (code.work_bytes > kMostWork) {
    throw std::invalid_argument(
        fmt::format("program '{}' needs {} bytes of a hart's memory for its parameters and registers; {} are there",
                    program.name, code.work_bytes, kMostWork));
  }

  isa::Assembler a;
  Routines routines(a);
  MemoryRoutines memory(a, static_cast<uint32_t>(arch::good_dram_banks(harvesting)),
                        {plan.lines_of_window, plan.window_lines, plan.window_tags});
  a.function(program.name);
  memory.enter(std::min(allocation.slots, kLocalSlots));
  emit(a, machine, allocation, routines, memory, {.source = program.name, .more_slots = plan.more_slots});
  a.source("", 0);
  memory.leave();
  memory.emit();
  routines.emit();
  const auto check_size = [&](size_t bytes) {
    if (bytes <= kLargestText) return;
    throw std::invalid_argument(fmt::format("program '{}' becomes {} bytes of code; at most {} can be loaded",
                                            program.name, bytes, kLargestText));
  };
  check_size(a.size_bytes());
  code.text = a.finish();
  check_size(code.text.bytes.size());
  code.instructions_worth_a_hart += uint64_t{kInstructionsOfAPage} * plan.whole_pages;
  if (program.variables.empty()) code.sharing = sharing_of(program, plan.nest, facts.object, {});
  for (size_t p = 0; p < program.parameters.size(); ++p) {
    const Object& object = plan.objects[plan.object_of[p]];
    code.remarks.push_back(
        fmt::format("p{}: {}{}", program.parameters[p].slot, describe(object), object.stored ? ", stored" : ""));
  }
  code.nest = plan.nest;
  return code;
}

}  // namespace

Code compile(const Program& program, const arch::Harvesting& harvesting, const CompileOptions& options,
             const Facts& facts, uint64_t places) {
  std::optional<Hoisted> hoisted = hoist(program, facts.object);
  if (!hoisted) return compile_as_it_is(program, harvesting, options, facts, places);
  const auto made = std::make_shared<const Program>(std::move(hoisted->program));
  try {
    Code code = compile_as_it_is(*made, harvesting, options, facts, places);
    code.hoisted = made;
    code.remarks.insert(code.remarks.end(), hoisted->remarks.begin(), hoisted->remarks.end());
    return code;
  } catch (const std::invalid_argument&) {  // tables take memory that other things may need
    return compile_as_it_is(program, harvesting, options, facts, places);
  }
}

std::string explain(const Program& given, const Code& code) {
  const Program& program = code.hoisted ? *code.hoisted : given;
  std::string out = fmt::format("{}: {} bytes of code, {} bytes of memory for a hart\n", program.name,
                                code.text.bytes.size(), code.work_bytes);
  if (!code.sharing) {
    out += "how many harts share it depends on its variables\n";
  } else if (code.sharing->independent) {
    out += fmt::format("{} iterations, about {} instructions in all, for several harts\n", code.sharing->iterations,
                       code.sharing->instructions);
  } else {
    out += fmt::format("one hart, about {} instructions: {}\n", code.sharing->instructions, code.sharing->why_not);
  }
  for (uint32_t at : code.nest.loops) {
    if (at < program.body.size()) out += fmt::format("shared: the loop of line {}\n", program.body[at].line);
  }
  for (const std::string& remark : code.remarks) out += remark + "\n";
  out += "\n" + code.text.listing();
  return out;
}

}  // namespace kerr::loops::scalar
