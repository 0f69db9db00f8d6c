#include "cli/explain.hpp"

#include <fmt/format.h>

#include "arch/boards.hpp"
#include "arch/grid.hpp"
#include "cli/version.hpp"
#include "kernels/matmul/cost.hpp"
#include "report/json.hpp"

namespace kerr::cli {

namespace {

report::Json to_json(const kernels::MatmulPlan& p, const kernels::MatmulCost& c, size_t workers) {
  report::Json placement = report::Json::array();
  for (const arch::NocCoord core : p.placement) placement.push_back({core.x, core.y});
  return {{"requested", json(p.requested())},
          {"executed", json(p.executed())},
          {"dataflow", p.multicast() ? "multicast" : "direct"},
          {"grid", {p.grid_rows, p.grid_columns}},
          {"cores", p.cores()},
          {"workers", workers},
          {"placement", placement},
          {"core_tiles", {p.core_rows, p.core_columns}},
          {"sub_block_tiles", {p.sub_rows, p.sub_columns}},
          {"k_block_tiles", p.k_block},
          {"k_blocks", p.k_blocks()},
          {"partial_sums_in_l1", c.partials_in_l1},
          {"l1_bytes", {{"a", c.l1_a}, {"b", c.l1_b}, {"c", c.l1_c}, {"partials", c.l1_partials}}},
          {"dram_read_bytes", c.dram_read},
          {"dram_written_bytes", c.dram_written},
          {"multicast_bytes", c.multicast},
          {"estimated_cycles", kernels::estimate(p).cycles()},
          {"mvmuls", p.mvmuls()},
          {"mvmuls_of_a_core", c.core_mvmuls},
          {"useful_fraction", c.useful}};
}

// Why this one.
std::string choice(const kernels::MatmulPlan& p, jobs::MatmulJob job, const jobs::BoardCores& cores) {
  if (job.planner == jobs::Planner::Compat)
    return "most cores with at least 16 tiles each, then least padding, then the deepest K block that L1 holds";
  const std::string how = p.multicast()
                              ? "of all rectangles of cores that which is estimated to take least time"
                              : "fewest tiles on a core, then least padding, then fewest tiles read from DRAM, then "
                                "fewest cores";
  if (job.planner != jobs::Planner::Default) return how;
  job.planner = p.multicast() ? jobs::Planner::Direct : jobs::Planner::Multicast;
  try {
    const kernels::MatmulPlan other = jobs::plan(job, cores.workers(), cores.layout);
    return fmt::format(
        "{};\n                the {} dataflow would read {:.1f} MiB from DRAM and is estimated at {} cycles", how,
        other.multicast() ? "multicast" : "direct", static_cast<double>(kernels::cost_of(other).dram_read) / (1 << 20),
        kernels::estimate(other).cycles());
  } catch (const std::invalid_argument& error) {
    return fmt::format("{}; no multicast: {}", how, error.what());
  }
}

void print_text(const kernels::MatmulPlan& p, const kernels::MatmulCost& c, const jobs::BoardCores& cores,
                const jobs::MatmulJob& job) {
  constexpr double mib = 1 << 20;
  fmt::print("matmul {} on {}, {} fidelity phases: nothing is run\n", p.requested().text(),
             job.device.emulator.boards.front().name, static_cast<int>(p.options.fidelity));
  fmt::print("  dataflow      {}\n", p.multicast()
                                         ? "multicast: the first core of a row or column reads for all of them"
                                         : "direct: every core reads its own operands from DRAM");
  fmt::print("  grid          {} x {} = {} of {} workers\n", p.grid_rows, p.grid_columns, p.cores(),
             cores.tiles.size());
  fmt::print("  executed      {}; {:.1f} % of the arithmetic is padding\n", p.executed().text(), 100 * (1 - c.useful));
  fmt::print("  a core        {} x {} tiles of C, in sub-blocks of {} x {} that stay in half of Dst\n", p.core_rows,
             p.core_columns, p.sub_rows, p.sub_columns);
  fmt::print("  K             {} block{} of {} tiles; {}\n", p.k_blocks(), p.k_blocks() == 1 ? "" : "s", p.k_block,
             c.partials_in_l1
                 ? fmt::format("between them the sums are kept in L1 as {}", info(*partial_format(p.options)).name)
                 : "sums stay in Dst from the first to the last");
  fmt::print("  L1 of a core  A {} KiB, B {} KiB, C {} KiB", c.l1_a / 1024, c.l1_b / 1024, c.l1_c / 1024);
  if (c.l1_partials != 0) fmt::print(", partial sums {} KiB", c.l1_partials / 1024);
  fmt::print("\n");
  fmt::print("  DRAM          {:.1f} MiB read, {:.1f} MiB written\n", static_cast<double>(c.dram_read) / mib,
             static_cast<double>(c.dram_written) / mib);
  if (c.multicast != 0)
    fmt::print("  multicast     {:.1f} MiB sent by {} cores\n", static_cast<double>(c.multicast) / mib,
               p.grid_rows + p.grid_columns);
  fmt::print("  MVMULs        {} in all, {} a core: at least {:.1f} us at {} MHz\n", p.mvmuls(), c.core_mvmuls,
             static_cast<double>(c.core_mvmuls) / arch::kAiclkBusyMhz, arch::kAiclkBusyMhz);
  const kernels::MatmulEstimate e = kernels::estimate(p);
  fmt::print(
      "  estimate      {} cycles: {} x (feeding {} beside computing {}), writing {}; from rates of silicon, not a "
      "time\n",
      e.cycles(), e.blocks, e.feed, e.compute, e.write);
  fmt::print("  chosen        {}\n", choice(p, job, cores));
}

}  // namespace

int explain(const jobs::MatmulJob& job, bool as_json) {
  const jobs::BoardCores cores(job.device.emulator.boards.front());
  const kernels::MatmulPlan p = jobs::plan_without_device(job);
  const kernels::MatmulCost cost = kernels::cost_of(p);
  if (as_json) {
    write_json(to_json(p, cost, cores.tiles.size()));
  } else {
    print_text(p, cost, cores, job);
  }
  return 0;
}

report::Json json(const kernels::ProductShape& shape) { return {{"m", shape.m}, {"n", shape.n}, {"k", shape.k}}; }

}  // namespace kerr::cli
