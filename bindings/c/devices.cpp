#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "bindings/c/api.hpp"
#include "bindings/c/memory.hpp"
#include "bindings/c/options.hpp"
#include "report/json.hpp"

namespace kerr::c {

namespace {

// The emulator gains nothing by more: harts of four cores a thread share its work well, and the memories of further
// cores only push each other out of the host's caches.
constexpr uint64_t kHartsWorthAThread = 8;

uint32_t most_harts(const jobs::DeviceSpec& spec) {
  constexpr uint32_t kAll = loops::CompileOptions{}.max_harts;
  if (!spec.is_emulated() || spec.emulator.exact()) return kAll;  // their number is part of what is measured
  return static_cast<uint32_t>(
      std::min<uint64_t>(kAll, kHartsWorthAThread * static_cast<uint64_t>(std::max(1, spec.emulator.shards))));
}

Device::Settings settings_of(const char* text) {
  Options options(text, "kerr_device_open()");
  Device::Settings settings;
  emu::Options& emulator = settings.spec.emulator;
  const auto board = options.choice<arch::Board>("board", {{"p100a", arch::kP100a}, {"p150", arch::kP150}});
  if (board) emulator.boards = {*board};
  settings.spec.card = options.text("card").value_or("");
  settings.spec.library = options.text("library").value_or("");
  if (const auto threads = options.number("threads", 1, 64)) emulator.shards = static_cast<int>(*threads);
  emulator.timing =
      options.choice<emu::Timing>("timing", {{"relaxed", emu::Timing::Relaxed}, {"exact", emu::Timing::Exact}})
          .value_or(emu::Timing::Relaxed);
  emulator.strict = options.flag("strict").value_or(false);
  emulator.icache = options
                        .choice<emu::InstructionCaching>("icache", {{"coherent", emu::InstructionCaching::Coherent},
                                                                    {"exact", emu::InstructionCaching::Exact},
                                                                    {"check", emu::InstructionCaching::Checked}})
                        .value_or(emu::InstructionCaching::Coherent);
  emulator.noc_reorder = options.number("noc_reorder", 0, std::numeric_limits<uint64_t>::max());
  settings.watch =
      options.choice<jobs::Watch>("watch", {{"nothing", jobs::Watch::Nothing}, {"timeline", jobs::Watch::Timeline}})
          .value_or(jobs::Watch::Nothing);
  settings.path = path_of(options);
  settings.check = options
                       .choice<loops::Against>("check", {{"nothing", loops::Against::Nothing},
                                                         {"definition", loops::Against::Definition},
                                                         {"paths", loops::Against::Paths}})
                       .value_or(loops::Against::Nothing);
  const auto max_harts = options.number("max_harts", 1, loops::CompileOptions{}.max_harts);
  settings.max_harts = max_harts ? static_cast<uint32_t>(*max_harts) : most_harts(settings.spec);
  settings.between_callbacks = std::chrono::milliseconds(options.number("progress_ms", 1, 3'600'000).value_or(100));
  settings.launch_ms = options.number("timeout_ms", 0, kLongestLimit);
  settings.record = options.text("record").value_or("");
  options.end();
  if (!settings.spec.card.empty() + !settings.spec.library.empty() + board.has_value() > 1)
    invalid_argument("kerr_device_open(): of 'board', 'card' and 'library' one can be given");
  if (!settings.spec.is_emulated() && (settings.watch != jobs::Watch::Nothing || !settings.record.empty()))
    throw Failure(KERR_UNSUPPORTED, "only the emulator can be watched and recorded");
  if (settings.watch == jobs::Watch::Timeline && !emulator.exact())
    invalid_argument("kerr_device_open(): a timeline needs \"timing\": \"exact\": relaxed cycles are no time");
  return settings;
}

// What cannot be opened is no argument that makes no sense, but a device that cannot be had.
std::shared_ptr<Device> open(const char* options) { return std::make_shared<Device>(settings_of(options)); }

using Json = report::Json;

Json info(Device& device) {
  const auto& spec = device.settings().spec;
  const auto path = device.settings().path;
  const Device::Counts& counts = device.counts();
  host::Chip& chip = device.chip();
  const host::MemoryUse memory = chip.memory_use(host::Memory::Dram, loops::kPageBytes);
  return {
      {"board", device.board()},
      {"kind", device.opened().kind},
      {"timing", !spec.is_emulated()     ? Json()
                 : spec.emulator.exact() ? "exact"
                                         : "relaxed"},
      {"threads", spec.is_emulated() ? spec.emulator.shards : 0},
      {"max_harts", device.settings().max_harts},
      {"clock_mhz", spec.emulator.parameters.clock_mhz},
      {"workers", chip.workers().size()},
      {"dram_banks", chip.dram_banks()},
      {"path", path ? Json(loops::name_of(*path)) : Json()},
      {"memory",
       {{"bytes", memory.bytes},
        {"used", memory.used},
        {"scratch", device.scratch().bytes()},
        {"free", memory.bytes - memory.used},
        {"largest", std::min<uint64_t>(memory.largest, std::numeric_limits<uint32_t>::max())}}},
      {"buffers", Handles::all().of(Kind::Buffer, &device).size()},
      {"programs", Handles::all().of(Kind::Program, &device).size()},
      {"tensors", Handles::all().of(Kind::Tensor, &device).size()},
      {"resets", device.resets()},
      {"launches",
       {{"tiles", counts.launches[static_cast<size_t>(loops::Path::Tiles)]},
        {"scalar", counts.launches[static_cast<size_t>(loops::Path::Scalar)]},
        {"definition", counts.launches[static_cast<size_t>(loops::Path::Definition)]},
        {"products", counts.products}}},
  };
}

}  // namespace

}  // namespace kerr::c

using namespace kerr::c;

int kerr_device_open(const char* options, kerr_device* device, kerr_error* error) {
  return answer(error, [&] {
    require(device, "kerr_device_open()", "device");
    if (in_callback()) throw Failure(KERR_BUSY, "a progress callback cannot open a device");
    *device = handle_of<kerr_device>(Handles::all().put(Kind::Device, open(options)));
  });
}

int kerr_device_close(kerr_device device, kerr_error* error) {
  return answer(error, [&] {
    const std::shared_ptr<Device> found = find(device);
    const auto forget = [&] {
      Handles::all().take(Kind::Device, number_of(device));
      Handles::all().drop_all_of(found.get());
    };
    try {
      found->close();
    } catch (const Failure&) {  // nothing was done
      throw;
    } catch (...) {
      forget();
      throw;
    }
    forget();
  });
}

int kerr_device_info(kerr_device device, char** json, kerr_error* error) {
  return answer(error, [&] {
    require(json, "kerr_device_info()", "json");
    const std::shared_ptr<Device> found = find(device);
    found->call("info", [&] { *json = hand_out(info(*found).dump(-1)); });
  });
}

int kerr_device_reset(kerr_device device, kerr_error* error) {
  return answer(error, [&] {
    const std::shared_ptr<Device> found = find(device);
    found->call("reset", [&] { found->reset(); });
  });
}

int kerr_device_synchronize(kerr_device device, kerr_error* error) {
  return answer(error, [&] { find(device)->call("synchronize", [] {}); });
}

int kerr_device_clock(kerr_device device, uint64_t* cycles, int64_t* ns, kerr_error* error) {
  return answer(error, [&] {
    const std::shared_ptr<Device> found = find(device);
    found->call("clock", [&] {
      const uint64_t now = found->cycles();
      if (cycles != nullptr) *cycles = now;
      if (ns != nullptr) *ns = found->nanoseconds(now);
    });
  });
}

int kerr_device_set_progress(kerr_device device, kerr_progress callback, void* user, kerr_error* error) {
  return answer(error, [&] {
    const std::shared_ptr<Device> found = find(device);
    found->call("set_progress", [&] { found->supervision().set_callback(callback, user); });
  });
}

int kerr_device_interrupt(kerr_device device, kerr_error* error) {
  return answer(error, [&] {
    const std::shared_ptr<Device> found = find(device);
    found->require_own_process();
    found->interrupt();
  });
}
