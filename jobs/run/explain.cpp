#include "jobs/run/explain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "jobs/run/ways.hpp"

namespace kerr::jobs {

namespace {

using Plan = RunPlan;

Plan::Argument resolved(const RunMemory& memory, const Word& word) { return {word, memory.resolve(word)}; }

std::vector<Plan::Argument> resolved(const RunMemory& memory, const std::vector<Word>& words) {
  std::vector<Plan::Argument> out;
  for (const Word& word : words) out.push_back(resolved(memory, word));
  return out;
}

std::vector<Plan::Part> parts_of(const image::Image& image) {
  std::vector<Plan::Part> out;
  for (const image::Segment& s : image.segments) out.push_back({s.load_address, s.memory_bytes});
  return out;
}

// Cores at which the code lies at one address are one place.
std::vector<Plan::Place> places_of(const Way& way, arch::Hart hart, const std::vector<arch::NocCoord>& cores) {
  std::vector<Plan::Place> out;
  for (const RunCode& code : way.code()) {
    if (code.hart != hart || !std::binary_search(cores.begin(), cores.end(), code.core)) continue;
    auto place = std::ranges::find(out, code.image->entry, &Plan::Place::entry);
    if (place == out.end()) {
      out.push_back({.cores = {}, .parts = parts_of(*code.image), .entry = code.image->entry});
      place = out.end() - 1;
    }
    place->cores.push_back(code.core);
  }
  return out;
}

// Arguments of its own take the place of those of all cores.
std::vector<Plan::Arguments> arguments_of(const RunMemory& memory, const RunKernel& kernel,
                                          std::vector<arch::NocCoord> cores) {
  std::vector<Plan::Arguments> out;
  std::erase_if(cores, [&kernel](arch::NocCoord core) { return kernel.core_args.contains(core); });
  if (!cores.empty() && !kernel.args.empty()) out.push_back({std::move(cores), resolved(memory, kernel.args)});
  for (const auto& [core, words] : kernel.core_args) out.push_back({{core}, resolved(memory, words)});
  return out;
}

std::optional<uint8_t> noc_of(const RunKernel& kernel) {
  const auto& uses = kernel.image.uses;
  const auto said = std::ranges::find(uses, image::Use::Kind::Noc, &image::Use::kind);
  if (said != uses.end()) return static_cast<uint8_t>(said->value & 1);
  if (kernel.hart == arch::Hart::Brisc) return kernel.noc;
  return std::nullopt;
}

Plan::Buffer buffer_of(const RunMemory& memory, const RunBuffer& buffer) {
  Plan::Buffer out{.name = buffer.name,
                   .memory = buffer.memory,
                   .address = memory.resolve(Word{0, buffer.name}),
                   .bytes = buffer.bytes,
                   .data_bytes = buffer.data.size()};
  if (const host::Buffer* const pages = memory.pages_of(buffer.name)) {
    out.pages = pages->pages();
    out.page_bytes = pages->page_bytes();
    out.stride = pages->stride();
    out.banks = pages->banks();
  }
  return out;
}

Plan::Access access_of(const RunMemory& memory, const PlacedData& what) {
  const RunMemory::Extent extent = memory.extent(what);
  return {what, extent.address, extent.bytes, extent.cores};
}

}  // namespace

RunPlan explain(const RunJob& job) {
  check(job);
  const OpenDevice device = open(job.device);
  const std::unique_ptr<Way> way = job.bare ? without_firmware(job, device) : with_firmware(job, device);
  const RunMemory& memory = way->memory();
  check_places(job, memory);

  RunPlan out{.board = way->board(), .bare = job.bare};
  for (const RunCode& code : way->code())
    if (out.cores.empty() || out.cores.back() != code.core) out.cores.push_back(code.core);
  for (const RunKernel& kernel : job.kernels) {
    const std::vector<arch::NocCoord> cores = cores_of(job, kernel, way->workers());
    out.kernels.push_back({.name = kernel.image.name,
                           .hart = kernel.hart,
                           .noc = job.bare ? std::nullopt : noc_of(kernel),
                           .places = places_of(*way, kernel.hart, cores),
                           .args = arguments_of(memory, kernel, cores),
                           .common_args = resolved(memory, kernel.common_args),
                           .uses = kernel.image.uses});
  }
  for (const host::CircularBuffer& buffer : job.circular_buffers)
    out.circular_buffers.push_back({buffer, memory.resolve(Word{0, fmt::format("cb{}", buffer.id)})});
  for (size_t i = 0; i < job.semaphores.size(); ++i)
    out.semaphores.push_back({memory.semaphore_address(static_cast<uint32_t>(i)), job.semaphores[i]});
  for (const RunBuffer& buffer : job.buffers) out.buffers.push_back(buffer_of(memory, buffer));
  for (const RunLoad& load : job.loads) {
    out.loads.push_back(access_of(memory, load.to));
    out.loads.back().bytes = load.data.size();
  }
  for (const PlacedData& dump : job.dumps) out.dumps.push_back(access_of(memory, dump));
  return out;
}

}  // namespace kerr::jobs
