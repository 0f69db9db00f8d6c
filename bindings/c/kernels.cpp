// Programs of kernels of one's own.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>

#include "bindings/c/api.hpp"
#include "bindings/c/memory.hpp"
#include "bindings/c/options.hpp"
#include "jobs/run/loaded_program.hpp"
#include "jobs/run/program_file.hpp"
#include "report/json.hpp"

namespace kerr::c {

namespace {

using Json = report::Json;

constexpr const char* kFunction = "kerr_run()";
constexpr uint64_t kEndlessCycles = uint64_t{1} << 50;  // wall time is kept by the supervision

struct RunOptions {
  std::string name, folder;
  std::optional<uint64_t> limit_ms;
};

RunOptions options_of(const char* text) {
  Options options(text, kFunction);
  RunOptions out;
  out.folder = options.text("folder").value_or("");
  out.name = options.text("name").value_or("program");
  out.limit_ms = options.number("timeout_ms", 0, kLongestLimit);
  options.end();
  return out;
}

// Their reader needs libraries that this one must do without.
image::Image refuse_elf(std::span<const uint8_t>, std::string name) {
  throw Failure(KERR_UNSUPPORTED,
                fmt::format("'{}' is an ELF file, which 'kerr run' takes, but not this library", name));
}

std::string file_on_disk(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(file), {}};
  if (!file || std::filesystem::is_directory(path))
    throw std::invalid_argument(fmt::format("'{}' cannot be read", path));
  return content;
}

// Files are named as the program names them; with a folder their paths begin with it.
jobs::RunJob job_of(const char* program, const kerr_file* files, size_t count, const RunOptions& options) {
  if (count != 0) require(files, kFunction, "files");
  for (size_t i = 0; i < count; ++i) {
    require(files[i].name, kFunction, "name of a file");
    if (files[i].bytes != 0) require(files[i].data, kFunction, "data of a file");
  }
  namespace fs = std::filesystem;
  const std::string path = (fs::path(options.folder) / options.name).string();
  const auto read = [&](const std::string& wanted) {
    for (size_t i = 0; i < count; ++i) {
      if ((fs::path(options.folder) / files[i].name).string() == wanted)
        return std::string(static_cast<const char*>(files[i].data), files[i].bytes);
    }
    if (options.folder.empty())
      throw std::invalid_argument(
          fmt::format("'{}' is none of the files that were given, and no folder is named to read it from", wanted));
    return file_on_disk(wanted);
  };
  try {
    return jobs::read_program_file(program, path, read, refuse_elf);
  } catch (const std::runtime_error& error) {  // code that is none
    invalid_argument(error.what());
  }
}

void require_runnable(const jobs::RunJob& job) {
  if (job.bare)
    throw Failure(KERR_UNSUPPORTED, "a run without firmware ('bare') needs a chip of its own: use 'kerr run'");
  for (const jobs::PlacedData& dump : job.dumps) {
    if (dump.place.area == jobs::Place::Area::Registers)
      throw Failure(KERR_UNSUPPORTED,
                    fmt::format("'{}': registers are dumped by 'kerr run' only, which watches the harts", dump.text));
  }
  jobs::check(job);
}

Json json_of(arch::NocCoord core) { return {core.x, core.y}; }

Json json_of(const jobs::RunDump& dump, const jobs::RunJob& job) {
  std::string bytes;
  bytes.reserve(2 * dump.bytes.size());
  for (const std::byte b : dump.bytes) {
    constexpr const char* kDigits = "0123456789abcdef";
    bytes += kDigits[std::to_integer<unsigned>(b) >> 4];
    bytes += kDigits[std::to_integer<unsigned>(b) & 15];
  }
  return {{"text", job.dumps[dump.index].text},
          {"core", dump.core ? json_of(*dump.core) : Json()},
          {"address", dump.address},
          {"bytes", std::move(bytes)}};
}

Json run(Device& device, const jobs::RunJob& job, const RunOptions& options) {
  std::optional<std::chrono::milliseconds> wall;
  if (options.limit_ms.value_or(0) != 0) wall = std::chrono::milliseconds(*options.limit_ms);
  Json cores = Json::array(), dumps = cores;
  uint64_t cycles = 0;
  device.call("run " + job.name, wall, [&] {
    jobs::LoadedProgram program = device.with_room([&] { return jobs::LoadedProgram(job, device.chip()); });
    jobs::check_places(job, program.memory());
    for (const jobs::RunLoad& load : job.loads) program.memory().write(load.to, load.data);
    const uint64_t before = device.cycles();
    program.run(job.cycles.value_or(options.limit_ms ? kEndlessCycles : jobs::kMostCycles));
    cycles = device.cycles() - before;
    for (const arch::NocCoord core : program.cores()) cores.push_back(json_of(core));
    for (size_t i = 0; i < job.dumps.size(); ++i)
      for (const jobs::RunDump& dump : program.memory().read(job.dumps[i], i)) dumps.push_back(json_of(dump, job));
  });
  return {{"name", job.name},
          {"device_cycles", cycles},
          {"ns", device.nanoseconds(cycles)},
          {"cores", std::move(cores)},
          {"dumps", std::move(dumps)}};
}

}  // namespace

}  // namespace kerr::c

using namespace kerr::c;

int kerr_run(kerr_device device, const char* program, const kerr_file* files, size_t file_count, const char* options,
             char** report, kerr_error* error) {
  return answer(error, [&] {
    const std::shared_ptr<Device> found = find(device);
    require(program, kFunction, "program");
    require(report, kFunction, "report");
    const RunOptions given = options_of(options);
    const kerr::jobs::RunJob job = job_of(program, files, file_count, given);
    require_runnable(job);
    *report = hand_out(run(*found, job, given).dump(-1));
  });
}
