#include "host/runtime/cq/capture.hpp"

#include <memory>
#include <utility>

#include "host/runtime/cq/prefetch_commands.hpp"

namespace kerr::host {

uint64_t Trace::bytes() const { return recorded_ == nullptr ? 0 : recorded_->bytes; }

namespace cq {

uint32_t Capture::slot(arch::NocCoord core) const {
  const auto found = launches_.find(core);
  return found == launches_.end() ? 0 : found->second % port_.chip().layout().launch_entries;
}

void Capture::add(std::span<const arch::NocCoord> cores, const RunningProgram& program) {
  for (const arch::NocCoord core : cores) ++launches_[core];
  programs_.push_back(program);
}

Trace Capture::finish(Transfers& transfers) {
  port_.divert(nullptr);
  if (programs_.empty()) host_error("a trace without a program");
  const Bytes end = exec_buf_end();
  commands_.insert(commands_.end(), end.begin(), end.end());
  Buffer buffer = port_.chip().allocate(Memory::Dram, commands_.size(), 1u << Recorded::kPageLog2);
  port_.chip().name(buffer, "trace");
  transfers.write(buffer, commands_, 0);
  transfers.settle_writes();
  return Trace(std::make_shared<const Recorded>(
      Recorded{std::move(buffer), commands_.size(), std::move(launches_),
               std::make_shared<const std::vector<RunningProgram>>(std::move(programs_)), std::move(notes_)}));
}

}  // namespace cq
}  // namespace kerr::host
