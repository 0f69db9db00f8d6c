#include "tests/check/catalogue/row.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <regex>

#include "host/device/emulated_device.hpp"
#include "host/device/pinned_memory.hpp"
#include "host/driver/tlb.hpp"
#include "host/runtime/chip.hpp"
#include "host/runtime/cq/command_queue.hpp"
#include "image/elf/reader.hpp"

namespace kerr::catalogue {

std::span<const Row> rows() {
  static constexpr Row all[] = {
#define X(number, file, row, harts, launches, end, rule, mended, wrong, sentence) \
  {number, #file, #row, harts, launches, End::end, rule, mended, wrong, sentence},
#include "tests/check/catalogue/rows.def"
  };
  return all;
}

std::map<uint32_t, Sites> read_sites() {
  std::map<uint32_t, Sites> sites;
  for (const Row& row : rows()) sites[row.number];
  const std::regex comment(R"((\d+): (first|then))");
  for (const char* file :
       {"transfers.cpp", "signals.cpp", "misuse.cpp", "buffers.cpp", "compute.cpp", "coprocessor.cpp"}) {
    std::ifstream in(std::filesystem::path(KERR_SOURCE_DIR) / "tests/check/catalogue/kernels" / file);
    if (!in) throw std::runtime_error(std::string("there is no ") + file);
    uint32_t number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      const size_t begin = line.find("// ");
      if (begin == std::string::npos) continue;
      for (std::sregex_iterator i(line.begin() + static_cast<ptrdiff_t>(begin), line.end(), comment), end; i != end;
           ++i) {
        const auto row = sites.find(static_cast<uint32_t>(std::stoul((*i)[1])));
        if (row == sites.end()) throw std::runtime_error(i->str() + " in " + file + ": there is no such row");
        std::optional<Line>& site = (*i)[2] == "first" ? row->second.first : row->second.then;
        if (site) throw std::runtime_error(i->str() + " stands twice");
        site = Line{file, number};
      }
    }
  }
  return sites;
}

namespace {

using Images = std::array<image::Image, 3>;
// Rows whose mistake is the host's.
constexpr uint32_t kWrittenTooLate = 43, kNotFlushed = 44, kPlacedOver = 55, kFreedTooEarly = 56, kFreedBefore = 57;
constexpr arch::NocCoord place(uint32_t tile) {
  return {static_cast<uint8_t>(kFirstX + tile), static_cast<uint8_t>(kRow)};
}

std::vector<std::byte> bytes_of(const std::vector<uint32_t>& words) {
  const auto bytes = std::as_bytes(std::span(words));
  return {bytes.begin(), bytes.end()};
}
std::vector<uint32_t> dram_words(uint32_t bytes) {
  std::vector<uint32_t> words(bytes / 4);
  for (uint32_t i = 0; i < words.size(); ++i) words[i] = dram_pattern(i);
  return words;
}

// A row's program on a device, with all that kernels may look for.
class Bench {
 public:
  Bench(const Row& row, bool bug, const emu::Options& options)
      : row_(row), bug_(bug), device_({.chip = options}), chip_(device_), host_page_(device_, kPageBytes) {
    const auto words = dram_words(kDramPageCount * kPageBytes);
    chip_.write(pages_, bytes_of(words));
    std::copy_n(bytes_of(words).begin(), kPageBytes, host_page_.bytes().begin());
    freed_.emplace(chip_.allocate(host::Memory::Dram, kPageBytes, kPageBytes));
    freed_pages_ = freed_->address();
    if (bug_ && row.number == kFreedBefore) freed_.reset();
  }

  void run() {
    if (row_.launches == 0) {
      run_by_queue();
    } else {
      for (uint32_t phase = 0; phase < row_.launches; ++phase) chip_.run(program(phase));
    }
  }

  uint32_t sum() {
    uint32_t sum = 0;
    for (uint32_t tile = kA; tile <= kC; ++tile) {
      if (takes_part(tile)) sum += chip_.io().read32(place(tile), result_);
    }
    return sum;
  }

 private:
  host::Program program(uint32_t phase) {
    host::Program program(std::string(row_.name));
    for (const uint32_t id : {kFirstBuffer, kSecondBuffer, kPackedBuffer})
      program.add_circular_buffer({.id = static_cast<uint8_t>(id), .pages = kPages, .page_bytes = kPageBytes});
    if (row_.number == kPlacedOver) {
      // By hand: no call places a buffer over half of another one.
      auto& buffers = const_cast<std::map<uint8_t, host::Program::PlacedBuffer>&>(program.circular_buffers());
      host::Program::PlacedBuffer placed = buffers.at(kFirstBuffer);
      placed.config.id = kNoBuffer;
      if (bug_) placed.address += kPageBytes;
      buffers[kNoBuffer] = placed;
    }
    for (uint32_t i = 0; i < kSemaphores; ++i) program.add_semaphore();
    const uint32_t scratch = scratch_ = program.add_l1(kSlots * kSlotBytes, 64);
    const uint32_t untouched = program.add_l1(kUntouchedBytes, 64);
    result_ = program.add_l1(64);

    for (uint32_t tile = kA; tile <= kC; ++tile) {
      if (!takes_part(tile)) continue;
      if (phase == 0) fill(tile, scratch);
      const bool runs = (row_.harts & (tile == kA ? kBriscOfA : tile == kB ? kBriscOfB : kBriscOfC)) != 0;
      std::vector<uint32_t> args(kArguments);
      args[kSelector] = 2 * row_.number + bug_;
      args[kPhase] = phase;
      args[kTile] = tile;
      args[kScratch] = scratch;
      args[kUntouched] = untouched;
      args[kResult] = result_;
      args[kEnd] = program.l1_end();
      args[kDramPages] = pages_.address();
      args[kFreedPages] = freed_pages_;
      args[kHostMid] = static_cast<uint32_t>(host_page_.noc_address() >> 32);
      args[kHostLow] = static_cast<uint32_t>(host_page_.noc_address());
      args[kHostTile] = arch::kTranslatedPcie.packed();
      const arch::NocCoord core = place(tile);
      if (tile == kA && (row_.harts & kNcriscOfA) != 0)
        program.set_args(program.add_kernel(image(KERR_KERNEL_catalogue_ncrisc), {&core, 1}), core, args);
      if (tile == kA && (row_.harts & kTriscsOfA) != 0) {
        static const Images buffers = image::read_compute(KERR_KERNEL_catalogue_compute);
        static const Images coprocessor = image::read_compute(KERR_KERNEL_catalogue_coprocessor);
        const Images& compute = row_.file == "Coprocessor" ? coprocessor : buffers;
        program.set_args(program.add_compute_kernel(compute, {&core, 1}), core, args);
      }
      if (!runs) args[kSelector] = 0;
      program.set_args(program.add_kernel(image(KERR_KERNEL_catalogue_brisc), {&core, 1}), core, args);
    }
    return program;
  }
  // What the host does while the program runs, or before and behind it.
  void run_by_queue() {
    const host::Program given = program(0);
    const uint32_t word = scratch_ + kSlotBytes;
    const auto write = [&] { chip_.io().write32(place(kA), word, 55); };
    host::CommandQueue queue(chip_);
    if (row_.number == kWrittenTooLate && !bug_) write();
    queue.enqueue(given);
    const auto started = [&] { return chip_.io().read32(place(kA), result_) == 1; };
    if (row_.number == kWrittenTooLate && bug_) {
      device_.wait(started, host::kProgramDeadline);
      write();
    }
    if (row_.number == kNotFlushed) {
      device_.wait(started, host::kProgramDeadline);
      write_before_flag(word);
    }
    if (row_.number == kFreedTooEarly && bug_) freed_.reset();
    queue.finish();
  }

  // A slot, write-combined, and the word behind it, which is not. By a window that the chip does not use.
  void write_before_flag(uint32_t slot) {
    constexpr int kWindows = 170;
    host::WindowAllocator allocator(device_);
    std::vector<host::Window> windows;
    for (int i = 0; i < kWindows; ++i) windows.push_back(*allocator.allocate(host::WindowAllocator::Size::k2MiB));
    host::Window& window = windows.back();
    window.configure(host::WindowTarget::tile(place(kA), 0));
    const std::vector<uint32_t> data(kSlotBytes / 4, 55), flag{1};
    window.write(slot, bytes_of(data), host::Caching::WriteCombined);
    if (!bug_) device_.flush();
    window.write(slot + kSlotBytes, bytes_of(flag), host::Caching::Uncached);
  }

  static const image::Image& image(const char* file) {
    static std::map<std::string, image::Image> images;
    const auto known = images.find(file);
    return known != images.end() ? known->second : images.emplace(file, image::read_elf(file)).first->second;
  }
  bool takes_part(uint32_t tile) const {
    constexpr uint32_t kOf[] = {~0u, kBriscOfB | kMemoryOfB, kBriscOfC | kMemoryOfC};
    return (row_.harts & kOf[tile]) != 0;
  }
  void fill(uint32_t tile, uint32_t scratch) {
    std::vector<uint32_t> words;
    for (uint32_t i = 0; i < kSlots * kSlotBytes / 4; ++i) words.push_back(pattern(tile, i / 16, i % 16));
    chip_.io().write(place(tile), scratch, bytes_of(words));
    chip_.io().write32(place(tile), result_, 0);
  }

  const Row& row_;
  const bool bug_;
  host::EmulatedDevice device_;
  host::Chip chip_;
  host::PinnedMemory host_page_;
  host::Buffer pages_ = chip_.allocate(host::Memory::Dram, kDramPageCount* kPageBytes, kPageBytes);
  std::optional<host::Buffer> freed_;
  uint32_t freed_pages_ = 0, result_ = 0, scratch_ = 0;
};

}  // namespace

Result run(const Row& row, bool bug, const emu::Options& options) {
  Result result;
  Bench bench(row, bug, options);
  try {
    bench.run();
    result.sum = bench.sum();
  } catch (const host::DeviceError& error) {
    result.end = error.category() == host::Category::Deadlock ? End::Hangs : End::Faults;
    result.report = error.summary() + "\n" + error.report();
  }
  return result;
}

}  // namespace kerr::catalogue
