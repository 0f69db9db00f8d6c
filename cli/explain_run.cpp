#include <fmt/format.h>

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "arch/memory_map.hpp"
#include "cli/explain.hpp"
#include "cli/version.hpp"
#include "jobs/run/code.hpp"
#include "jobs/run/explain.hpp"
#include "report/json.hpp"

namespace kerr::cli {

namespace {

using Plan = jobs::RunPlan;
using image::Use;
using report::Json;

std::string cores_text(const std::vector<arch::NocCoord>& cores) {
  constexpr size_t kListed = 4;
  const auto text = [](arch::NocCoord core) { return fmt::format("({},{})", core.x, core.y); };
  if (cores.size() > kListed)
    return fmt::format("{} cores from {} to {}", cores.size(), text(cores.front()), text(cores.back()));
  std::string out;
  for (const arch::NocCoord core : cores) out += (out.empty() ? "" : " ") + text(core);
  return out;
}

Json cores_json(const std::vector<arch::NocCoord>& cores) {
  Json out = Json::array();
  for (const arch::NocCoord core : cores) out.push_back({core.x, core.y});
  return out;
}

// The word as it was said, if it was a name.
std::string said(const Plan::Argument& argument) {
  const jobs::Word& word = argument.said;
  return word.value == 0 ? word.name : fmt::format("{}+{}", word.name, word.value);
}

std::string words_text(const std::vector<Plan::Argument>& words) {
  constexpr uint32_t kMostDecimal = 0xFFFF;  // larger ones are addresses or bits
  std::string out;
  for (const Plan::Argument& a : words) {
    if (!out.empty()) out += ", ";
    if (!a.said.name.empty()) out += said(a) + " = ";
    out += a.said.name.empty() && a.value <= kMostDecimal ? fmt::format("{}", a.value) : fmt::format("{:#x}", a.value);
  }
  return out;
}

Json words_json(const std::vector<Plan::Argument>& words) {
  Json out = Json::array();
  for (const Plan::Argument& a : words) {
    Json word = {{"value", a.value}};
    if (!a.said.name.empty()) word["name"] = said(a);
    out.push_back(std::move(word));
  }
  return out;
}

// What a compiled kernel may say that it uses of its program.
struct UseText {
  Use::Kind kind;
  const char *one, *several, *json;
};
constexpr UseText kUseTexts[] = {{Use::Kind::CircularBuffer, "circular buffer", "circular buffers", "circular_buffers"},
                                 {Use::Kind::Argument, "argument", "arguments", "arguments"},
                                 {Use::Kind::CommonArgument, "common argument", "common arguments", "common_arguments"},
                                 {Use::Kind::Semaphore, "semaphore", "semaphores", "semaphores"}};

std::vector<uint32_t> values_of(const std::vector<Use>& uses, Use::Kind kind) {
  std::vector<uint32_t> out;
  for (const Use& use : uses)
    if (use.kind == kind) out.push_back(use.value);
  return out;
}

// "0 to 4, 16"
std::string ranges_text(const std::vector<uint32_t>& sorted) {
  std::string out;
  for (size_t i = 0; i < sorted.size(); ++i) {
    size_t last = i;
    while (last + 1 < sorted.size() && sorted[last + 1] == sorted[last] + 1) ++last;
    out += out.empty() ? "" : ", ";
    out += last > i + 1 ? fmt::format("{} to {}", sorted[i], sorted[last]) : fmt::format("{}", sorted[i]);
    if (last > i + 1) i = last;
  }
  return out;
}

// The circular buffers whose pages the kernel takes for tiles of so many bytes.
std::map<uint32_t, std::vector<uint32_t>> tile_bytes(const std::vector<Use>& uses) {
  std::map<uint32_t, std::vector<uint32_t>> out;
  for (const uint32_t value : values_of(uses, Use::Kind::TileBytes))
    if (value >> 8 != 0) out[value >> 8].push_back(value & 0xFF);
  return out;
}

std::string uses_text(const std::vector<Use>& uses) {
  if (uses.empty()) return "unknown: only what kerr_add_kernel compiles says what it uses";
  std::vector<std::string> parts;
  for (const UseText& text : kUseTexts) {
    const std::vector<uint32_t> values = values_of(uses, text.kind);
    if (values.empty()) continue;
    parts.push_back(fmt::format("{} {}", values.size() == 1 ? text.one : text.several, ranges_text(values)));
  }
  for (const auto& [bytes, ids] : tile_bytes(uses))
    parts.push_back(
        fmt::format("tiles of {} bytes in circular buffer{} {}", bytes, ids.size() == 1 ? "" : "s", ranges_text(ids)));
  if (parts.empty()) return "nothing of the program, as far as its compiler knew";
  return fmt::format("{}: checked, all of it is there", fmt::join(parts, "; "));
}

Json uses_json(const std::vector<Use>& uses) {
  if (uses.empty()) return {};
  Json out = Json::object();
  for (const UseText& text : kUseTexts) out[text.json] = values_of(uses, text.kind);
  out["tile_bytes"] = Json::object();
  for (const auto& [bytes, ids] : tile_bytes(uses))
    for (const uint32_t id : ids) out["tile_bytes"][fmt::format("{}", id)] = bytes;
  return out;
}

void print(const char* label, std::string_view text) { fmt::print("  {:<14}{}\n", label, text); }
void print_below(const char* label, std::string_view text) { fmt::print("    {:<12}{}\n", label, text); }

void print(const Plan::Kernel& kernel, bool bare) {
  print("kernel", fmt::format("{} on {}{}", kernel.name, jobs::hart_name(kernel.hart),
                              kernel.noc ? fmt::format(", NoC {}", *kernel.noc) : ""));
  for (const Plan::Place& place : kernel.places) {
    std::string parts;
    for (const Plan::Part& part : place.parts)
      parts += fmt::format("{}{} bytes at {:#x}", parts.empty() ? "" : ", ", part.bytes, part.address);
    print_below("code", fmt::format("{}, entry {:#x}, on {}", parts, place.entry, cores_text(place.cores)));
    if (bare && kernel.hart == arch::Hart::Brisc && place.entry != 0)
      print_below("", "the word at 0, where BRISC starts, becomes a jump to the entry");
  }
  for (const Plan::Arguments& args : kernel.args)
    print_below("arguments", fmt::format("{}{}", words_text(args.words),
                                         kernel.args.size() == 1 ? "" : " on " + cores_text(args.cores)));
  if (!kernel.common_args.empty()) print_below("common", words_text(kernel.common_args));
  if (!bare) print_below("uses", uses_text(kernel.uses));
}

void print(const Plan::Buffer& buffer) {
  const std::string data =
      buffer.data_bytes == 0 ? "" : fmt::format(", begins with {} bytes of data", buffer.data_bytes);
  if (buffer.memory == host::Memory::L1) {
    print("L1", fmt::format("{}: {} bytes at {:#x}{}", buffer.name, buffer.bytes, buffer.address, data));
  } else {
    print("DRAM", fmt::format("{}: {} pages of {} bytes, page p in bank p % {} at {:#x} + p / {} * {}{}", buffer.name,
                              buffer.pages, buffer.page_bytes, buffer.banks, buffer.address, buffer.banks,
                              buffer.stride, data));
  }
}

void print(const char* label, const Plan::Access& access) {
  std::string where;
  if (access.what.place.area == jobs::Place::Area::Registers) {
    where = "registers";
  } else {
    where = fmt::format("{} bytes at {:#x}", access.bytes, access.address);
  }
  print(label,
        fmt::format("{}: {} of {}", access.what.text, where, access.cores.empty() ? "DRAM" : cores_text(access.cores)));
}

void print_text(const std::string& name, const Plan& plan) {
  fmt::print("run {} on {}{}: nothing is run\n", name, plan.board, plan.bare ? ", without firmware" : "");
  print("cores", cores_text(plan.cores));
  for (const Plan::Kernel& kernel : plan.kernels) print(kernel, plan.bare);
  for (const Plan::CircularBuffer& b : plan.circular_buffers)
    print("L1", fmt::format("cb{}: circular buffer {} of {} pages of {} bytes at {:#x}", b.config.id, b.config.id,
                            b.config.pages, b.config.page_bytes, b.address));
  for (size_t i = 0; i < plan.semaphores.size(); ++i)
    print("L1", fmt::format("semaphore {} at {:#x}, begins with {}", i, plan.semaphores[i].address,
                            plan.semaphores[i].initial));
  for (const Plan::Buffer& buffer : plan.buffers) print(buffer);
  for (const Plan::Access& load : plan.loads) print("load", load);
  for (const Plan::Access& dump : plan.dumps) print("dump", dump);
}

Json json_of(const Plan::Kernel& kernel) {
  Json places = Json::array(), args = Json::array();
  for (const Plan::Place& place : kernel.places) {
    Json parts = Json::array();
    for (const Plan::Part& part : place.parts) parts.push_back({{"address", part.address}, {"bytes", part.bytes}});
    places.push_back({{"cores", cores_json(place.cores)}, {"parts", std::move(parts)}, {"entry", place.entry}});
  }
  for (const Plan::Arguments& each : kernel.args)
    args.push_back({{"cores", cores_json(each.cores)}, {"words", words_json(each.words)}});
  return {{"name", kernel.name},
          {"hart", jobs::hart_name(kernel.hart)},
          {"noc", kernel.noc ? Json(*kernel.noc) : Json()},
          {"code", std::move(places)},
          {"args", std::move(args)},
          {"common_args", words_json(kernel.common_args)},
          {"uses", uses_json(kernel.uses)}};
}

Json json_of(const Plan::Buffer& buffer) {
  Json out = {{"name", buffer.name},
              {"memory", buffer.memory == host::Memory::L1 ? "l1" : "dram"},
              {"address", buffer.address},
              {"bytes", buffer.bytes},
              {"data_bytes", buffer.data_bytes}};
  if (buffer.memory == host::Memory::Dram)
    out.update({{"pages", buffer.pages},
                {"page_bytes", buffer.page_bytes},
                {"stride", buffer.stride},
                {"banks", buffer.banks}});
  return out;
}

Json json_of(const std::vector<Plan::Access>& accesses) {
  Json out = Json::array();
  for (const Plan::Access& access : accesses) {
    Json json = {{"place", access.what.text}, {"cores", cores_json(access.cores)}};
    if (access.what.place.area != jobs::Place::Area::Registers)
      json.update({{"address", access.address}, {"bytes", access.bytes}});
    out.push_back(std::move(json));
  }
  return out;
}

Json json_of(const std::string& name, const Plan& plan) {
  Json kernels = Json::array(), circular_buffers = Json::array(), semaphores = Json::array(), buffers = Json::array();
  for (const Plan::Kernel& kernel : plan.kernels) kernels.push_back(json_of(kernel));
  for (const Plan::CircularBuffer& b : plan.circular_buffers)
    circular_buffers.push_back(
        {{"id", b.config.id}, {"pages", b.config.pages}, {"page_bytes", b.config.page_bytes}, {"address", b.address}});
  for (const Plan::Semaphore& s : plan.semaphores)
    semaphores.push_back({{"address", s.address}, {"initial", s.initial}});
  for (const Plan::Buffer& buffer : plan.buffers) buffers.push_back(json_of(buffer));
  return {{"name", name},
          {"board", plan.board},
          {"bare", plan.bare},
          {"cores", cores_json(plan.cores)},
          {"kernels", std::move(kernels)},
          {"circular_buffers", std::move(circular_buffers)},
          {"semaphores", std::move(semaphores)},
          {"buffers", std::move(buffers)},
          {"loads", json_of(plan.loads)},
          {"dumps", json_of(plan.dumps)}};
}

}  // namespace

int explain(const jobs::RunJob& job, bool as_json) {
  const Plan plan = jobs::explain(job);
  if (as_json) {
    write_json(json_of(job.name, plan));
  } else {
    print_text(job.name, plan);
  }
  return 0;
}

}  // namespace kerr::cli
