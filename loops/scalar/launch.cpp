#include "loops/scalar/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "arch/kernel_abi.hpp"
#include "arch/noc_registers.hpp"
#include "host/driver/rectangle.hpp"
#include "image/image.hpp"
#include "loops/interpret.hpp"
#include "loops/scalar/others.hpp"
#include "loops/scalar/plan.hpp"
#include "loops/scalar/scalars.hpp"
#include "loops/scalar/work_area.hpp"
#include "loops/views.hpp"

namespace kerr::loops::scalar {
namespace {

constexpr uint32_t kMostInConfig = 16 * 1024;  // of code: each hart of a core has its own there

// Parameters that share bytes with one that is stored to are one object with it.
Facts facts_of(const Program& program, std::span<const View> views) {
  Facts facts = usual_facts(program);
  std::vector<bool> stored(views.size());
  std::vector<uint64_t> unit(views.size(), 1);  // the largest elements that it is seen as
  for (const Instruction& i : program.body) {
    if ((i.verb != Verb::Load && i.verb != Verb::Store) || i.address.space != Address::Space::Parameter) continue;
    const uint32_t p = i.address.index;
    stored[p] = stored[p] || i.verb == Verb::Store;
    unit[p] = std::max<uint64_t>(unit[p], info(i.address.unit).bytes);
  }
  const auto begin = [&](size_t p) { return views[p].offset; };
  const auto end = [&](size_t p) { return views[p].offset + program.parameters[p].bytes(); };
  // In the order of their bytes: each of them overlaps some of those before it, or none.
  std::map<uint32_t, std::vector<size_t>> buffers;
  for (size_t p = 0; p < views.size(); ++p) {
    if (program.parameters[p].bytes() != 0) buffers[views[p].buffer.address()].push_back(p);
    facts.misaligned[p] = views[p].offset % unit[p] != 0;
  }
  for (auto& [address, all] : buffers) {
    std::sort(all.begin(), all.end(), [&](size_t a, size_t b) { return begin(a) < begin(b); });
    for (size_t first = 0; first < all.size();) {
      uint64_t until = end(all[first]);
      size_t last = first + 1;
      bool stores = stored[all[first]];
      while (last < all.size() && begin(all[last]) < until) {
        until = std::max(until, end(all[last]));
        stores = stores || stored[all[last]];
        ++last;
      }
      if (stores) {
        const size_t number =
            *std::min_element(all.begin() + static_cast<ptrdiff_t>(first), all.begin() + static_cast<ptrdiff_t>(last));
        for (size_t k = first; k < last; ++k) facts.object[all[k]] = static_cast<uint32_t>(number);
      }
      first = last;
    }
  }
  return facts;
}

// Parameters of an object that do not begin together are gone through in ways that nobody has compared.
bool begin_together(const Facts& facts, std::span<const View> views) {
  for (size_t p = 0; p < views.size(); ++p)
    if (views[p].offset != views[facts.object[p]].offset) return false;
  return true;
}

// Locks here are not waited for: in a child of fork() one may be taken for good. Then what is kept is made again.
std::shared_ptr<const Code> code_for(const Program& program, const Code& code, const Facts& facts) {
  const std::unique_lock lock(code.others->mutex, std::try_to_lock);
  if (lock) {
    for (const auto& other : code.others->codes)
      if (other->facts == facts) return other;
  }
  auto made = std::make_shared<Code>(compile(program, code.harvesting, code.options, facts));
  made->instructions_worth_a_hart = code.instructions_worth_a_hart;
  if (lock) code.others->codes.push_back(made);
  return made;
}

std::unique_ptr<Prepared> prepare(host::Chip& chip, const Program& program, const Code& code, uint32_t harts) {
  const std::vector<arch::NocCoord> workers(chip.workers().begin(), chip.workers().end());
  if (const std::unique_lock lock(code.others->mutex, std::try_to_lock); lock) {
    std::vector<std::unique_ptr<Prepared>>& idle = code.others->idle;
    for (size_t k = idle.size(); k-- > 0;) {
      if (idle[k]->harts != harts || idle[k]->workers != workers ||
          idle[k]->program.layout().name != chip.layout().name)
        continue;
      std::unique_ptr<Prepared> found = std::move(idle[k]);
      idle.erase(idle.begin() + static_cast<ptrdiff_t>(k));
      return found;
    }
  }
  auto out = std::make_unique<Prepared>(Prepared{harts, workers, host::Program(program.name, chip.layout())});
  image::Image image = image::Image::from(code.text, program.name);
  const auto text_bytes = static_cast<uint32_t>(code.text.bytes.size());
  host::KernelOptions options;
  if (text_bytes > kMostInConfig) {
    out->resident = out->program.add_l1((text_bytes + 15) & ~15u, 64);
    options.resident = out->resident;
  }
  out->work = out->program.add_l1(code.work_bytes * std::min(harts, 2u), 2 * kLineBytes);
  for (uint32_t kind = 0; kind < std::min(harts, 2u); ++kind) {
    // Both harts of a core first: hart h is on core h / 2.
    const uint32_t cores = (harts + 1 - kind) / 2;
    const arch::Hart hart = kind == 0 ? arch::Hart::Brisc : arch::Hart::Ncrisc;
    out->kernels[kind] = out->program.add_kernel(hart, image, std::span(workers).first(cores), options);
    ++out->kernel_count;
    for (uint32_t core = 0; core < cores; ++core)
      out->program.set_args(out->kernels[kind], workers[core], {2 * core + kind});
  }
  return out;
}

// What is common to the harts of a kind.
std::vector<uint32_t> arguments(const host::Chip& chip, const Code& code, const Sharing& sharing, uint32_t kind,
                                uint32_t work, uint32_t harts, std::span<const View> views,
                                std::span<const int64_t> numbers) {
  const arch::Hart hart = kind == 0 ? arch::Hart::Brisc : arch::Hart::Ncrisc;
  const uint32_t banks = chip.layout().dram_banks;
  std::vector<uint32_t> words(Arguments::First);
  words[Arguments::WorkArea] = work + kind * code.work_bytes;
  words[Arguments::CommandBuffers] = arch::niu_base(static_cast<int>(kind));
  words[Arguments::BankTable] = arch::kernel_abi(chip.layout(), hart).dram_xy + 2 * banks * kind;
  words[Arguments::Iterations] = static_cast<uint32_t>(sharing.iterations);
  words[Arguments::Harts] = harts;
  std::vector<uint32_t> objects(code.facts.object.begin(), code.facts.object.end());
  std::sort(objects.begin(), objects.end());
  objects.erase(std::unique(objects.begin(), objects.end()), objects.end());
  for (uint32_t object : objects) words.push_back(views[object].buffer.address());
  for (const View& view : views) words.push_back(static_cast<uint32_t>(view.offset));
  for (int64_t number : numbers) {
    words.push_back(static_cast<uint32_t>(number));
    words.push_back(static_cast<uint32_t>(static_cast<uint64_t>(number) >> 32));
  }
  return words;
}

// What a fault means that a check of bounds has made; nothing of others. `sentence`: the chip's own of the fault.
std::optional<std::string> left_its_buffer(const Program& program, std::string_view sentence) {
  const size_t store = sentence.find(fmt::format(": store of {:#010x}: ", kOutside));
  if (store == std::string_view::npos) return std::nullopt;
  const std::string place = fmt::format("  {}:", program.name);
  const size_t at = sentence.rfind(place, store);
  if (at == std::string_view::npos) return std::nullopt;
  uint32_t line = 0;
  std::from_chars(sentence.data() + at + place.size(), sentence.data() + store, line);
  const auto found = std::ranges::find_if(program.body, [&](const Instruction& i) {
    return i.line == line && (i.verb == Verb::Load || i.verb == Verb::Store);
  });
  if (found == program.body.end()) return std::nullopt;
  const Address& address = found->address;
  const bool parameter = address.space == Address::Space::Parameter;
  const std::string name = parameter ? fmt::format("p{}", program.parameters[address.index].slot)
                                     : fmt::format("r{}", program.registers[address.index].id);
  const Type type = parameter ? program.parameters[address.index].type : program.registers[address.index].type;
  const uint64_t count = parameter ? program.parameters[address.index].count : program.registers[address.index].count;
  return fmt::format("program '{}', line {}: the {} is outside of {}, which has {} {}", program.name, line,
                     found->verb == Verb::Load ? "load" : "store", name, count, info(type).name);
}

}  // namespace

void launch(host::Chip& chip, const Program& program, const Code& given, std::span<const View> views,
            std::span<const int64_t> numbers, const LaunchOptions& options) {
  check_views(program, views, numbers);
  const Facts facts = facts_of(program, views);
  std::shared_ptr<const Code> other;
  if (facts != given.facts) other = code_for(program, given, facts);
  const Code& code = other != nullptr ? *other : given;
  const Program& runs = code.hoisted ? *code.hoisted : program;
  const Sharing sharing = code.sharing ? *code.sharing : sharing_of(runs, find_nest(runs), facts.object, numbers);
  uint32_t harts = 1;
  if (sharing.independent && begin_together(facts, views)) {
    const uint64_t most = std::min<uint64_t>({2 * chip.workers().size(), code.options.max_harts, options.max_harts,
                                              std::max<uint64_t>(sharing.iterations, 1)});
    const uint64_t worth = code.instructions_worth_a_hart;
    const uint64_t wanted = worth == 0 ? most : sharing.instructions / (worth + sharing.alone);
    harts = static_cast<uint32_t>(std::clamp<uint64_t>(wanted, 1, std::max<uint64_t>(most, 1)));
  }
  std::unique_ptr<Prepared> prepared = prepare(chip, program, code, harts);
  for (uint32_t kind = 0; kind < prepared->kernel_count; ++kind) {
    prepared->program.set_common_args(prepared->kernels[kind],
                                      arguments(chip, code, sharing, kind, prepared->work, harts, views, numbers));
  }
  host::Deadline deadline = host::kProgramDeadline;
  const uint64_t seconds = sharing.instructions / kSlowestInstructionsPerSecond;
  deadline.wall += std::chrono::milliseconds(1000 * std::min<uint64_t>(seconds, 1'000'000'000));
  deadline.cycles +=
      std::min<uint64_t>(100 * std::min<uint64_t>(sharing.instructions, uint64_t{1} << 50), uint64_t{1} << 60);
  if (prepared->resident != 0) {
    chip.check(prepared->program);
    const std::vector<arch::NocCoord> cores(prepared->workers.begin(), prepared->workers.begin() + (harts + 1) / 2);
    for (const host::Rectangle& rectangle : host::cover(cores))
      chip.io().multicast(rectangle, prepared->resident, std::as_bytes(std::span(code.text.bytes)));
  }
  try {
    chip.run(prepared->program, options.deadline.value_or(deadline));
  } catch (const host::DeviceError& error) {
    if (const auto what = left_its_buffer(program, error.sentence()); code.options.check_bounds && what)
      throw host::DeviceError(error.category(), *what, error.report());
    throw;
  }
  const std::unique_lock lock(code.others->mutex, std::try_to_lock);
  if (!lock) return;
  if (code.others->idle.size() >= 4) code.others->idle.erase(code.others->idle.begin());
  code.others->idle.push_back(std::move(prepared));
}

}  // namespace kerr::loops::scalar
