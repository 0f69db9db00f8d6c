#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <stdexcept>
#include <utility>

#include "arch/banks.hpp"
#include "arch/hang_question.hpp"
#include "arch/tile_registers.hpp"
#include "emu/machine/machine.hpp"
#include "host/driver/tile_reset.hpp"
#include "image/elf/reader.hpp"
#include "jobs/run/code.hpp"
#include "jobs/run/ways.hpp"

namespace kerr::jobs {

namespace {

constexpr uint32_t kLargestJump = 0x100000;  // of a jal from address 0

[[noreturn]] void refuse(const image::Image& image, const std::string& why) {
  throw std::invalid_argument(fmt::format("'{}': {}", image.name, why));
}

// The window through which the NoC reaches an address of a hart's local memory; none if it is not there.
std::optional<uint32_t> local_window(arch::Hart hart, uint32_t address, uint32_t bytes) {
  const auto index = static_cast<size_t>(hart);
  const uint32_t offset = address - arch::kLdmBase;
  if (offset >= arch::kLdmBytes[index] || bytes > arch::kLdmBytes[index] - offset) return std::nullopt;
  return arch::kLdmSlowBase[index] + offset;
}

class WithoutFirmware final : public Way {
 public:
  WithoutFirmware(const RunJob& job, const OpenDevice& device)
      : job_(job),
        device_(device),
        board_(job.device.emulator.boards.front()),
        io_(*device.device),
        tiles_(arch::tensix_tiles(board_.harvesting)),
        cores_(cores_of(job, workers())),
        memory_(io_, board_.harvesting, cores_, 0) {
    check_cores(cores_, workers(), board_.name);
    host::hold_in_reset(io_, cores_);
    for (const RunKernel& kernel : job_.kernels) {
      const auto image = std::make_shared<const image::Image>(kernel.image);
      check(kernel);
      for (const arch::NocCoord core : cores_of(job, kernel, workers())) {
        take(core, kernel);
        write(core, kernel);
        code_.push_back({core, kernel.hart, image});
      }
    }
    std::sort(code_.begin(), code_.end());
    io_.flush();
  }

  const std::vector<RunCode>& code() const override { return code_; }
  // Without firmware no tile is reserved for dispatch.
  std::span<const arch::NocCoord> workers() const override { return {tiles_.begin(), tiles_.size()}; }
  RunMemory& memory() override { return memory_; }
  const std::string& board() const override { return board_name_; }
  const arch::Harvesting& harvesting() const override { return board_.harvesting; }
  bool has_left(const RunCode&) override { return false; }

  void go(RunOutcome& out) override {
    std::map<arch::NocCoord, uint32_t> held;
    for (const RunCode& code : code_) {
      const auto [at, is_new] = held.try_emplace(code.core, arch::kSoftResetAllHarts);
      at->second &= ~(1u << arch::kSoftResetBit[static_cast<size_t>(code.hart)]);
    }
    for (const auto& [core, word] : held) io_.write32(core, arch::kSoftReset0, word);
    const uint64_t cycles = job_.cycles.value_or(kMostCycles);
    const host::WaitResult result = device_.device->wait(
        [this] { return std::ranges::all_of(code_, [this](const RunCode& c) { return is_paused(c); }); },
        {cycles, std::chrono::milliseconds(0)});
    const host::DeviceStatus status = device_.device->status();
    out.report = status.report;
    switch (result) {
      case host::WaitResult::Done: break;
      case host::WaitResult::Faulted:
        out.end = RunOutcome::End::Faulted;
        out.summary = fmt::format("{}: {}", host::category_name(status.category), host::first_fault(status));
        break;
      case host::WaitResult::Quiescent:
        if (std::ranges::all_of(code_,
                                [this](const RunCode& c) { return is_paused(c) || loops_in_place(state_of(c)); }))
          break;
        out.end = RunOutcome::End::Deadlocked;
        out.summary = "Deadlock: harts wait for what does not come, and nothing can happen any more";
        out.report = device_.emulated->why_nothing_moves(question()) + out.report;
        break;
      case host::WaitResult::TimedOut:
        out.end = RunOutcome::End::OutOfCycles;
        out.summary = "Timeout: not every hart has ended";
        break;
    }
    if (out.end == RunOutcome::End::Finished) out.report.clear();
  }

 private:
  void check(const RunKernel& kernel) const {
    const image::Image& image = kernel.image;
    bool entry_inside = false;
    for (const image::Segment& s : image.segments) {
      entry_inside = entry_inside || s.contains(image.entry);
      const uint32_t at = s.load_address;
      if (local_window(kernel.hart, at, s.memory_bytes)) {
        if (at % 4 != 0)
          refuse(image, fmt::format("the segment at {:#x} of local memory must begin at a multiple of 4", at));
        continue;
      }
      if (at >= arch::kL1Bytes || s.memory_bytes > arch::kL1Bytes - at)
        refuse(image, fmt::format("its segment of {} bytes at {:#x} lies neither in L1 (0 to {:#x}) nor in the local "
                                  "memory of {} ({:#x} to {:#x})",
                                  s.memory_bytes, at, arch::kL1Bytes, hart_name(kernel.hart), arch::kLdmBase,
                                  arch::kLdmBase + arch::kLdmBytes[static_cast<size_t>(kernel.hart)]));
    }
    if (!entry_inside || image.entry >= arch::kL1Bytes || image.entry % 4 != 0)
      refuse(image, fmt::format("its entry {:#x} is no instruction of its segments in L1", image.entry));
    if (kernel.hart == arch::Hart::Brisc && image.entry >= kLargestJump)
      refuse(image,
             fmt::format("its entry {:#x} is out of reach: BRISC starts at address 0, from where a jump reaches {:#x}",
                         image.entry, kLargestJump - 2));
  }

  struct Taken {
    uint32_t begin, end;
    std::string by;
    bool begins_with_header = false;  // of an ELF file, which linkers put before the code: nobody needs it
  };

  // Two files at one place would destroy each other; one file may serve several harts.
  void take(arch::NocCoord core, const RunKernel& kernel) {
    for (const RunCode& code : code_) {
      if (code.core == core && code.hart == kernel.hart)
        refuse(kernel.image, fmt::format("{} of core ({},{}) already runs '{}'", hart_name(kernel.hart), core.x, core.y,
                                         code.image->name));
    }
    std::vector<Taken>& taken = taken_[core];
    const auto add = [&](const image::Segment& s) {
      const uint32_t begin = s.load_address, bytes = s.memory_bytes;
      for (const Taken& other : taken) {
        if (begin < other.end && other.begin < begin + bytes && other.by != kernel.image.name)
          refuse(kernel.image, fmt::format("its bytes at {:#x} to {:#x} overlap those of '{}' at {:#x} to {:#x}", begin,
                                           begin + bytes, other.by, other.begin, other.end));
      }
      taken.push_back({begin, begin + bytes, kernel.image.name, image::is_elf(s.bytes)});
    };
    for (size_t i = 0; i < kernel.image.segments.size(); ++i) {
      const image::Segment& s = kernel.image.segments[i];
      for (size_t j = 0; j < i; ++j) {
        const image::Segment& t = kernel.image.segments[j];
        if (s.load_address < uint64_t{t.load_address} + t.memory_bytes &&
            t.load_address < uint64_t{s.load_address} + s.memory_bytes)
          refuse(kernel.image, fmt::format("its segments at {:#x} and {:#x} overlap", t.load_address, s.load_address));
      }
      if (!local_window(kernel.hart, s.load_address, s.memory_bytes)) add(s);
    }
    if (kernel.hart == arch::Hart::Brisc && kernel.image.entry != 0) {
      for (const Taken& other : taken) {
        if (other.begin < 4 && !other.begins_with_header)
          refuse(
              kernel.image,
              fmt::format("BRISC starts at address 0, where a jump to its entry {:#x} must stand, and '{}' lies there",
                          kernel.image.entry, other.by));
      }
      taken.push_back({0, 4, "the jump with which BRISC starts"});
    }
  }

  void write(arch::NocCoord core, const RunKernel& kernel) {
    const auto hart = static_cast<size_t>(kernel.hart);
    for (const image::Segment& s : kernel.image.segments) {
      std::vector<std::byte> bytes((s.memory_bytes + 3) / 4 * 4);
      std::memcpy(bytes.data(), s.bytes.data(), s.bytes.size());
      const auto window = local_window(kernel.hart, s.load_address, s.memory_bytes);
      if (!window) {
        bytes.resize(s.memory_bytes);
        io_.write(core, s.load_address, bytes);
        continue;
      }
      // Leaving reset would clear local memory.
      io_.write32(core, arch::kDisableReset,
                  io_.read32(core, arch::kDisableReset) | 1u << arch::kDisableResetBit[hart]);
      for (uint32_t at = 0; at < bytes.size(); at += 4) {
        uint32_t word;
        std::memcpy(&word, bytes.data() + at, sizeof word);
        io_.write32(core, *window + at, word);
      }
    }
    set_entry(core, kernel);
  }

  void set_entry(arch::NocCoord core, const RunKernel& kernel) {
    const uint32_t entry = kernel.image.entry;
    const auto set_bits = [&](uint32_t address, uint32_t bits) {
      io_.write32(core, address, io_.read32(core, address) | bits);
    };
    switch (kernel.hart) {
      case arch::Hart::Brisc:
        if (entry != 0) io_.write32(core, 0, arch::jal_word(entry));
        return;
      case arch::Hart::Ncrisc:
        io_.write32(core, arch::kNcriscResetPc, entry);
        set_bits(arch::kNcriscResetPcOverride, 1);
        return;
      default: {
        const auto thread = static_cast<uint32_t>(kernel.hart) - static_cast<uint32_t>(arch::Hart::Trisc0);
        io_.write32(core, arch::kTrisc0ResetPc + 4 * thread, entry);
        set_bits(arch::kTriscResetPcOverride, 1u << thread);
      }
    }
  }

  arch::HangQuestion question() const {
    arch::HangQuestion question;
    auto& [launch, unfinished] = question.programs.emplace_back();
    launch.program = job_.name;
    for (const RunCode& code : code_) {
      if (unfinished.empty() || unfinished.back() != code.core) {
        unfinished.push_back(code.core);
        launch.groups.push_back({.cores = {code.core}, .slots = {}, .kernels = {}});
      }
      for (const image::Segment& s : code.image->segments) {
        if (code.is_code(s) && s.contains(state_of(code).pc))
          launch.groups.back().kernels.push_back(
              {.hart = code.hart, .code = {code.image->name, s.address, s.memory_bytes, code.image, s.address}});
      }
    }
    return question;
  }

  const emu::HartState& state_of(const RunCode& code) const {
    return tile_of(device_, board_.harvesting, code.core).hart(code.hart).state();
  }
  bool is_paused(const RunCode& code) const { return state_of(code).status == emu::HartStatus::Paused; }

  const RunJob& job_;
  const OpenDevice& device_;
  const arch::Board& board_;
  const std::string board_name_{board_.name};
  host::NocIo io_;
  const arch::List<arch::NocCoord, arch::kTensixTiles> tiles_;
  const std::vector<arch::NocCoord> cores_;
  RunMemory memory_;
  std::vector<RunCode> code_;
  std::map<arch::NocCoord, std::vector<Taken>> taken_;
};

}  // namespace

std::unique_ptr<Way> without_firmware(const RunJob& job, const OpenDevice& device) {
  return std::make_unique<WithoutFirmware>(job, device);
}

}  // namespace kerr::jobs
