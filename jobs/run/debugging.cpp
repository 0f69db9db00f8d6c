#include "jobs/run/debugging.hpp"

#include <algorithm>

#include "arch/harvesting.hpp"

namespace kerr::jobs {

namespace {

std::vector<debug::Code> code_of(const RunJob& job, Way& way) {
  std::vector<debug::Code> all;
  for (const RunCode& code : way.code()) {
    const arch::NocCoord raw = arch::raw_of(arch::translation_tables(way.harvesting(), 0), 0, code.core);
    debug::Code out{.tile = emu::TileId::at(0, raw.x, raw.y), .hart = code.hart, .image = code.image};
    const auto kernel = std::ranges::find_if(job.kernels, [&](const RunKernel& k) {
      const std::vector<arch::NocCoord> cores = cores_of(job, k, way.workers());
      return k.hart == code.hart && std::ranges::find(cores, code.core) != cores.end();
    });
    if (kernel != job.kernels.end()) {
      out.path = kernel->path;
      out.file = kernel->elf;
    }
    all.push_back(std::move(out));
  }
  return all;
}

}  // namespace

DebuggedRun::DebuggedRun(debug::GdbServer* server, const RunJob& job, const OpenDevice& device, Way& way)
    : server_(server) {
  if (job.program) *job.program = {code_of(job, way), device.cycles()};
  if (server_) server_->set_history(device.emulated->history());
  if (server_) server_->begin(device.emulated->machine(), code_of(job, way), true);
}

DebuggedRun::~DebuggedRun() {
  if (server_) server_->end(status_);
}

void DebuggedRun::look_at_end(const RunOutcome& outcome) {
  status_ = static_cast<unsigned>(status_of(outcome.end));
  if (server_ && outcome.end != RunOutcome::End::Finished) server_->show(outcome.summary + "\n" + outcome.report);
}

}  // namespace kerr::jobs
