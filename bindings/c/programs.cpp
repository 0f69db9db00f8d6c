#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "bindings/c/api.hpp"
#include "bindings/c/memory.hpp"
#include "bindings/c/options.hpp"
#include "loops/blob.hpp"
#include "report/json.hpp"

namespace kerr::c {

namespace {

using loops::Executable;
using loops::Path;

loops::CompileOptions options_of(const char* text) {
  Options options(text, "kerr_compile()");
  loops::CompileOptions out;
  out.path = path_of(options).value_or(Path::Auto);
  out.math = options.choice<loops::Math>("math", {{"bounded", loops::Math::Bounded}, {"exact", loops::Math::Exact}})
                 .value_or(out.math);
  out.check_bounds = options.flag("check_bounds").value_or(out.check_bounds);
  out.max_harts = static_cast<uint32_t>(options.number("max_harts", 1, out.max_harts).value_or(out.max_harts));
  options.end();
  return out;
}

// Throws Unsupported for what the path does not do; mistakes of the program are ProgramError.
Executable compile(std::string_view board, std::string_view text, const loops::CompileOptions& options) {
  try {
    return Executable(board, text, options);
  } catch (const std::invalid_argument& error) {
    throw Failure(KERR_UNSUPPORTED, error.what());
  }
}

void require_board(std::string_view board) {
  for (const arch::Board& known : arch::kBoards)
    if (known.name == board) return;
  invalid_argument(fmt::format("kerr_compile(): no board is named '{:.40}'; there are p100a, p150", board));
}

// `board`: whose it must be; empty: anyone's.
Executable executable_of(const void* blob, size_t bytes, std::string_view board) {
  try {
    return Executable::from_blob({static_cast<const std::byte*>(blob), bytes}, board);
  } catch (const loops::ProgramError& error) {
    throw Failure(KERR_BAD_BLOB, fmt::format("the compiled program holds a text that is none: {}", error.what()));
  } catch (const std::invalid_argument& error) {
    throw Failure(KERR_BAD_BLOB, error.what());
  }
}

report::Json explanation(const Executable& executable) {
  const loops::Program& program = executable.program();
  report::Json parameters = report::Json::array(), variables = parameters;
  for (const loops::Parameter& p : program.parameters) {
    parameters.push_back({{"name", fmt::format("p{}", p.slot)},
                          {"type", loops::info(p.type).name},
                          {"count", p.count},
                          {"bytes", p.bytes()}});
  }
  for (const loops::Variable& v : program.variables)
    variables.push_back({{"name", v.name}, {"type", loops::info(v.type).name}, {"min", v.min}, {"max", v.max}});
  return {{"name", program.name},   {"board", executable.board()},         {"path", loops::name_of(executable.path())},
          {"abi", loops::kBlobAbi}, {"version", loops::library_version()}, {"parameters", parameters},
          {"variables", variables}, {"text", executable.text()},           {"explanation", executable.explain()}};
}

std::vector<loops::View> views_of(const ProgramObject& program, const kerr_view* views, size_t count) {
  const auto& parameters = program.executable.program().parameters;
  if (count != parameters.size())
    invalid_argument(fmt::format("kerr_launch(): '{}' has {} parameters, and {} views are given",
                                 program.executable.program().name, parameters.size(), count));
  if (count != 0) require(views, "kerr_launch()", "views");
  std::vector<loops::View> out;
  out.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const std::shared_ptr<BufferObject> buffer = find(views[i].buffer);
    const uint64_t offset = views[i].offset, bytes = views[i].bytes;
    if (buffer->device != program.device)
      invalid_argument(fmt::format("kerr_launch(): the buffer of p{} is another device's", parameters[i].slot));
    if (offset > buffer->bytes || bytes > buffer->bytes - offset)
      invalid_argument(
          fmt::format("kerr_launch(): the view of p{}, {} bytes at offset {}, does not lie in its buffer of {}",
                      parameters[i].slot, bytes, offset, buffer->bytes));
    if (bytes < parameters[i].bytes())
      invalid_argument(fmt::format("kerr_launch(): p{} has {} bytes, and its view {}", parameters[i].slot,
                                   parameters[i].bytes(), bytes));
    out.push_back({buffer->buffer, offset, bytes});
  }
  return out;
}

void check_numbers(const loops::Program& program, const int64_t* numbers, size_t count) {
  if (count != program.variables.size())
    invalid_argument(fmt::format("kerr_launch(): '{}' has {} variables, and {} numbers are given", program.name,
                                 program.variables.size(), count));
  if (count != 0) require(numbers, "kerr_launch()", "numbers");
  for (size_t i = 0; i < count; ++i) {
    const loops::Variable& variable = program.variables[i];
    if (numbers[i] < variable.min || numbers[i] > variable.max)
      invalid_argument(fmt::format("kerr_launch(): {} is {}, and must be from {} to {}", variable.name, numbers[i],
                                   variable.min, variable.max));
  }
}

constexpr std::string_view kAdvice =
    R"(, and its work should not take so long. "timeout_ms" allows more, or 0 any time: in the options of the )"
    "launch, or of kerr_device_open() for all launches";

// `given`: of the launch.
std::optional<TimeLimit> limit_of(const ProgramObject& program, std::optional<uint64_t> given,
                                  std::span<const int64_t> numbers) {
  if (!given) given = program.device->settings().launch_ms;
  if (!given) return TimeLimit(program.executable.usual_limit(numbers), kAdvice);
  if (*given == 0) return std::nullopt;
  return TimeLimit(std::chrono::milliseconds(*given));
}

// Wall time is kept by the supervision; the device's own limit must not come first.
constexpr host::Deadline kNoDeadline{uint64_t{1} << 62, std::chrono::hours(24 * 365)};

}  // namespace

}  // namespace kerr::c

using namespace kerr::c;

int kerr_compile(const char* board, const char* text, const char* options, void** blob, size_t* blob_bytes,
                 kerr_error* error) {
  return answer(error, [&] {
    for (const auto& [pointer, its_name] : {std::pair<const void*, const char*>{board, "board"},
                                            {text, "text"},
                                            {blob, "blob"},
                                            {blob_bytes, "blob_bytes"}})
      require(pointer, "kerr_compile()", its_name);
    require_board(board);
    const std::vector<std::byte> bytes = compile(board, text, options_of(options)).blob();
    void* const out = hand_out(bytes.size());
    std::memcpy(out, bytes.data(), bytes.size());
    *blob = out;
    *blob_bytes = bytes.size();
  });
}

int kerr_blob_explain(const void* blob, size_t blob_bytes, char** json, kerr_error* error) {
  return answer(error, [&] {
    require(blob, "kerr_blob_explain()", "blob");
    require(json, "kerr_blob_explain()", "json");
    *json = hand_out(explanation(executable_of(blob, blob_bytes, "")).dump(-1));
  });
}

int kerr_program_load(kerr_device device, const void* blob, size_t blob_bytes, kerr_program* program,
                      kerr_error* error) {
  return answer(error, [&] {
    require(blob, "kerr_program_load()", "blob");
    require(program, "kerr_program_load()", "program");
    const std::shared_ptr<Device> found = find(device);
    found->call("load", [&] {
      Executable executable = executable_of(blob, blob_bytes, found->board());
      if (const auto path = found->settings().path; path && *path != executable.options().path) {
        kerr::loops::CompileOptions options = executable.options();
        options.path = *path;
        executable = compile(executable.board(), executable.text(), options);
      }
      auto made = std::make_shared<ProgramObject>(ProgramObject{found, std::move(executable)});
      *program = handle_of<kerr_program>(Handles::all().put(Kind::Program, std::move(made), found.get()));
    });
  });
}

int kerr_program_free(kerr_program program, kerr_error* error) {
  return answer(error, [&] {
    find(program)->device->require_own_process();
    const std::shared_ptr<void> taken = Handles::all().take(Kind::Program, number_of(program));
    if (!taken) throw Failure(KERR_INVALID_HANDLE, "another thread has freed this program");
  });
}

int kerr_launch(kerr_program program, const kerr_view* views, size_t view_count, const int64_t* numbers,
                size_t number_count, const char* options, int64_t* ns, kerr_error* error) {
  return answer(error, [&] {
    const std::shared_ptr<ProgramObject> found = find(program);
    Device& device = *found->device;
    Options given(options, "kerr_launch()");
    const auto limit = given.number("timeout_ms", 0, kLongestLimit);
    given.end();
    const std::vector<kerr::loops::View> all = views_of(*found, views, view_count);
    const kerr::loops::Program& what = found->executable.program();
    check_numbers(what, numbers, number_count);
    device.call("launch " + what.name, limit_of(*found, limit, {numbers, number_count}), [&] {
      const kerr::loops::LaunchOptions launch{.max_harts = device.settings().max_harts,
                                              .deadline = kNoDeadline,
                                              .poll = [&] { device.supervision().poll(); },
                                              .check = device.settings().check,
                                              .scratch = &device.scratch()};
      const uint64_t before = device.cycles();
      const kerr::loops::Launched done = found->executable.launch(device.chip(), all, {numbers, number_count}, launch);
      device.count(done);
      const bool on_device = done.path != kerr::loops::Path::Definition;
      if (ns != nullptr) *ns = on_device ? device.nanoseconds(device.cycles() - before) : -1;
    });
  });
}
