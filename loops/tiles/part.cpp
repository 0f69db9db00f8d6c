#include "loops/tiles/part.hpp"

#include "loops/scalar/launch.hpp"
#include "loops/tiles/check.hpp"

namespace kerr::loops::tiles {

Part::Part(Made made, const arch::Harvesting& harvesting, const CompileOptions& options)
    : made_(std::move(made)),
      code_(scalar::compile(made_.program, harvesting, options, scalar::usual_facts(made_.program), made_.places)) {}

void Part::run(const Launch& launch, std::span<const host::Buffer> scratch, std::span<const int64_t> numbers) const {
  std::vector<View> views;
  for (size_t p = 0; p < made_.sources.size(); ++p) {
    const uint32_t source = made_.sources[p];
    if (source < kScratch)
      views.push_back(launch.views[source]);
    else
      views.push_back({scratch[source - kScratch], 0, made_.program.parameters[p].bytes()});
  }
  LaunchOptions options{.max_harts = launch.options.max_harts, .deadline = launch.options.deadline};
  scalar::launch(launch.chip, made_.program, code_, views, numbers, options);
}

void run(const Made& made, Check& check, std::span<const std::span<std::byte>> scratch,
         std::span<const int64_t> numbers) {
  std::vector<std::span<std::byte>> buffers;
  for (size_t p = 0; p < made.sources.size(); ++p) {
    const uint32_t source = made.sources[p];
    buffers.push_back(source < kScratch ? check.expected.view(source)
                                        : scratch[source - kScratch].first(made.program.parameters[p].bytes()));
  }
  check.reference(made.program, buffers, numbers);
}

void Part::run(Check& check, std::span<const std::span<std::byte>> scratch, std::span<const int64_t> numbers) const {
  tiles::run(made_, check, scratch, numbers);
}

}  // namespace kerr::loops::tiles
