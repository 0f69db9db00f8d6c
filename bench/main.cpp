// kerr-bench: our own benchmarks, or the same work on Kerr and on another simulator.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "bench/against/command.hpp"
#include "bench/tables.hpp"

namespace {

std::string cpu_model() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("model name")) return line.substr(std::min(line.size(), line.find(':') + 2));
  }
  return "unknown CPU";
}

}  // namespace

int main(int argc, char** argv) {
  using namespace kerr::bench;
  AgainstRequest against;
  against.ours = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "libttsim_bh.so";
  CLI::App app{"Benchmarks of Kerr. Without --against: those in this program, with the options of Google Benchmark.", "kerr-bench"};
  app.allow_extras();
  CLI::Option* library = app.add_option("--against", against.library, "run the same work on this library with the libttsim C ABI, by turns")
                             ->check(CLI::ExistingFile);
  app.add_option("--ours", against.ours, "our side of the comparison (default: the libttsim_bh.so beside this program)")
      ->check(CLI::ExistingFile)->needs(library);
  app.add_option("--only", against.only, "comparisons whose name contains this")->needs(library);
  app.add_option("--pairs", against.options.pairs, "pairs of each comparison (default 7)")->check(CLI::Range(1, 1000))->needs(library);
  app.add_option("--slice", against.options.slice_seconds, "seconds of each measurement (default 0.15)")
      ->check(CLI::Range(0.01, 60.0))->needs(library);
  app.add_flag("--json", against.json, "print the comparison as JSON")->needs(library);
  std::vector<std::string> reports;
  app.add_option("--markdown", reports, "print the tables of docs/performance.md, made of these reports in JSON")
      ->check(CLI::ExistingFile)->excludes(library);
  app.footer(
      "Examples:\n"
      "  kerr-bench\n"
      "  kerr-bench --benchmark_filter=Matmul --benchmark_format=json\n"
      "  kerr-bench --benchmark_filter='Policy|Window'    what exact timing, observing and windows cost\n"
      "  kerr-bench --against path/to/libttsim.so --only polling\n"
      "  kerr-bench --markdown own.json against.json matmul.json\n"
      "Environment of our side: KERR_SHARDS, threads (default 1).");
  CLI11_PARSE(app, argc, argv);
  if (*library) {
    if (const auto rest = app.remaining(); !rest.empty()) {
      fmt::print(stderr, "kerr-bench: {} is no option of a comparison.  Try 'kerr-bench --help'.\n", rest.front());
      return 2;
    }
    against.library = std::filesystem::canonical(against.library);  // a name without a slash is searched for elsewhere
    return against_command(against);
  }
  if (!reports.empty()) return print_tables(reports);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::AddCustomContext("cpu", cpu_model());
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
