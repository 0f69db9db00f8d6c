// What calls of the C library cost: docs/reference/c-library.md "How long things take".
#include <benchmark/benchmark.h>
#include <kerr.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

struct Opened {
  explicit Opened(const char* options = "{}") { kerr_device_open(options, &device, nullptr); }
  ~Opened() { kerr_device_close(device, nullptr); }
  kerr_buffer alloc(uint64_t bytes) const {
    kerr_buffer buffer = nullptr;
    kerr_buffer_alloc(device, bytes, &buffer, nullptr);
    return buffer;
  }
  kerr_device device = nullptr;
};

// p0[i] = p1[i] + 1
std::string increment(int64_t count) {
  const std::string n = std::to_string(count);
  return "kernel increment\nparam p0 i32 " + n + "\nparam p1 i32 " + n + "\n%1 = loop i32 i32:" + n +
         " weak\n%2 = load i32 p1[%1]\n%3 = add i32 %2 i32:1\nstore i32 p0[%1] %3\nend %1\n";
}

void CLibraryOpen(benchmark::State& state) {
  for (auto _ : state) Opened opened;
}
BENCHMARK(CLibraryOpen)->Unit(benchmark::kMillisecond);

void CLibraryAlloc(benchmark::State& state) {
  const Opened opened;
  for (auto _ : state) kerr_buffer_free(opened.alloc(4096), nullptr);
}
BENCHMARK(CLibraryAlloc)->Unit(benchmark::kMicrosecond);

void CLibraryWrite(benchmark::State& state) {
  const Opened opened;
  const auto bytes = static_cast<uint64_t>(state.range(0));
  const std::vector<char> data(bytes);
  const kerr_buffer buffer = opened.alloc(bytes);
  for (auto _ : state) kerr_buffer_write(buffer, 0, data.data(), bytes, nullptr);
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(CLibraryWrite)->Arg(4)->Arg(4096)->Arg(64 << 20)->Unit(benchmark::kMicrosecond);

void CLibraryRead(benchmark::State& state) {
  const Opened opened;
  const auto bytes = static_cast<uint64_t>(state.range(0));
  std::vector<char> data(bytes);
  const kerr_buffer buffer = opened.alloc(bytes);
  for (auto _ : state) kerr_buffer_read(buffer, 0, data.data(), bytes, nullptr);
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(CLibraryRead)->Arg(4)->Arg(4096)->Arg(64 << 20)->Unit(benchmark::kMicrosecond);

void launch(benchmark::State& state, const char* options) {
  const Opened opened;
  void* blob = nullptr;
  size_t bytes = 0;
  kerr_compile("p100a", increment(state.range(0)).c_str(), options, &blob, &bytes, nullptr);
  kerr_program program = nullptr;
  kerr_program_load(opened.device, blob, bytes, &program, nullptr);
  kerr_free(blob);
  const auto size = static_cast<uint64_t>(4 * state.range(0));
  const kerr_view views[] = {{opened.alloc(size), 0, size}, {opened.alloc(size), 0, size}};
  for (auto _ : state) {
    if (kerr_launch(program, views, 2, nullptr, 0, nullptr, nullptr, nullptr) != KERR_OK)
      state.SkipWithError("it failed");
  }
}
void CLibraryLaunch(benchmark::State& state) { launch(state, nullptr); }
void CLibraryLaunchDefinition(benchmark::State& state) { launch(state, R"({"path": "definition"})"); }
BENCHMARK(CLibraryLaunch)->Arg(16)->Arg(1024)->Unit(benchmark::kMicrosecond);
BENCHMARK(CLibraryLaunchDefinition)->Arg(16)->Arg(1024)->Unit(benchmark::kMicrosecond);

void CLibraryCompileAndLoad(benchmark::State& state) {
  const Opened opened;
  const std::string text = increment(1024);
  for (auto _ : state) {
    void* blob = nullptr;
    size_t bytes = 0;
    kerr_program program = nullptr;
    kerr_compile("p100a", text.c_str(), nullptr, &blob, &bytes, nullptr);
    kerr_program_load(opened.device, blob, bytes, &program, nullptr);
    kerr_program_free(program, nullptr);
    kerr_free(blob);
  }
}
BENCHMARK(CLibraryCompileAndLoad)->Unit(benchmark::kMicrosecond);

}  // namespace
