// What happened on an emulated device.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <system_error>

#include "bindings/c/api.hpp"
#include "bindings/c/json_text.hpp"
#include "bindings/c/memory.hpp"
#include "emu/machine/snapshot.hpp"
#include "report/timeline/heat_map.hpp"
#include "report/timeline/trace_file.hpp"
#include "report/timeline/utilisation.hpp"

namespace kerr::c {

namespace {

struct Stretch {
  const report::Timeline* timeline;
  uint64_t begin, end;
};

Stretch stretch_of(const Device& device, uint64_t begin, uint64_t end) {
  const report::Timeline* timeline = device.opened().timeline.get();
  if (timeline == nullptr)
    throw Failure(KERR_UNSUPPORTED,
                  R"(the device was not watched: open it with "timing": "exact" and "watch": "timeline")");
  const uint64_t now = device.cycles();
  if (begin == 0 && end == 0) end = now;
  if (begin >= end || end > now)
    invalid_argument(
        fmt::format("cycles {} to {}: the device has come to {}, and the second must be larger", begin, end, now));
  return {timeline, begin, end};
}

// A file that is there only when it is whole.
class NewFile {
 public:
  explicit NewFile(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {
    if (file_ == nullptr) fail();
  }
  ~NewFile() {
    if (file_ == nullptr) return;
    std::fclose(file_);
    std::remove(path_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail();
  }
  void finish() {
    const int failed = std::fclose(file_);
    file_ = nullptr;
    if (failed == 0) return;
    std::remove(path_.c_str());
    fail();
  }

 private:
  [[noreturn]] void fail() const { throw std::system_error(errno, std::generic_category(), "'" + path_ + "'"); }
  const std::string path_;
  FILE* file_;
};

}  // namespace

}  // namespace kerr::c

using namespace kerr::c;

int kerr_timeline(kerr_device device, uint64_t begin, uint64_t end, const char* path, kerr_error* error) {
  return answer(error, [&] {
    const std::shared_ptr<Device> found = find(device);
    require(path, "kerr_timeline()", "path");
    found->call("timeline", [&] {
      const Stretch stretch = stretch_of(*found, begin, end);
      NewFile file(path);
      kerr::report::write_trace([&](std::string_view text) { file.write(text); }, *stretch.timeline, stretch.begin,
                                stretch.end, static_cast<double>(found->settings().spec.emulator.parameters.clock_mhz));
      file.finish();
    });
  });
}

int kerr_utilisation(kerr_device device, uint64_t begin, uint64_t end, char** json, kerr_error* error) {
  return answer(error, [&] {
    const std::shared_ptr<Device> found = find(device);
    require(json, "kerr_utilisation()", "json");
    found->call("utilisation", [&] {
      const Stretch stretch = stretch_of(*found, begin, end);
      const auto utilisation = kerr::report::utilisation(*stretch.timeline, stretch.begin, stretch.end,
                                                         found->settings().spec.emulator.parameters);
      *json = hand_out(kerr::report::json(utilisation).dump(2));
    });
  });
}

int kerr_heat_map(kerr_device device, uint64_t begin, uint64_t end, const char* title, char** svg, kerr_error* error) {
  return answer(error, [&] {
    const std::shared_ptr<Device> found = find(device);
    require(svg, "kerr_heat_map()", "svg");
    found->call("heat_map", [&] {
      const Stretch stretch = stretch_of(*found, begin, end);
      const auto utilisation = kerr::report::utilisation(*stretch.timeline, stretch.begin, stretch.end,
                                                         found->settings().spec.emulator.parameters);
      *svg = hand_out(kerr::report::heat_map_svg(utilisation, title == nullptr ? "" : valid_utf8(title),
                                                 &found->chip().harvesting()));
    });
  });
}

int kerr_snapshot(kerr_device device, const char* path, kerr_error* error) {
  return answer(error, [&] {
    const std::shared_ptr<Device> found = find(device);
    require(path, "kerr_snapshot()", "path");
    found->call("snapshot", [&] { kerr::emu::save_snapshot(found->machine(), path, kerr::jobs::cpus()); });
  });
}

int kerr_restore(kerr_device device, const char* path, kerr_error* error) {
  return answer(error, [&] {
    const std::shared_ptr<Device> found = find(device);
    require(path, "kerr_restore()", "path");
    found->call("restore", [&] { found->restore(path); });
  });
}

int kerr_record_begin(kerr_device device, const char* path, kerr_error* error) {
  return answer(error, [&] {
    const std::shared_ptr<Device> found = find(device);
    require(path, "kerr_record_begin()", "path");
    found->call("record_begin", [&] { found->begin_recording(path); });
  });
}

int kerr_record_end(kerr_device device, kerr_error* error) {
  return answer(error, [&] {
    const std::shared_ptr<Device> found = find(device);
    found->call("record_end", [&] { found->end_recording(); });
  });
}
