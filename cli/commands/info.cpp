// kerr info: what a board looks like.

#include <fmt/format.h>

#include "arch/banks.hpp"
#include "arch/boards.hpp"
#include "arch/grid.hpp"
#include "arch/harvesting.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/version.hpp"
#include "report/json.hpp"

namespace kerr::cli {

namespace {

struct Cell {
  std::string mark;  // two characters
  const char* kind;
};

Cell cell(const arch::Board& board, arch::NocCoord raw) {
  const arch::Harvesting& h = board.harvesting;
  switch (arch::tile_class(raw)) {
    case arch::TileClass::Tensix: {
      if (!arch::tensix_column_good(h, raw.x)) return {"xx", "harvested"};
      const arch::NocCoord translated = arch::logical_id(h, raw);
      const arch::DispatchPair pair = arch::dispatch_pair(h);
      if (translated == pair.prefetch) return {"PF", "prefetch"};
      if (translated == pair.dispatch) return {"DI", "dispatch"};
      return {"T ", "worker"};
    }
    case arch::TileClass::Dram: {
      const int bank = arch::dram_port(raw).bank;
      if (!(h.dram_banks >> bank & 1)) return {"xx", "harvested"};
      return {fmt::format("D{}", bank), "dram"};
    }
    case arch::TileClass::Ethernet: return {"E ", "ethernet"};
    case arch::TileClass::Pcie: return {"P ", "pcie"};
    case arch::TileClass::Arc: return {"A ", "arc"};
    case arch::TileClass::Security: return {"S ", "security"};
    case arch::TileClass::L2Cpu: return {"L ", "l2cpu"};
    case arch::TileClass::Router: break;
  }
  return {". ", "router"};
}

void print_text(const arch::Board& board) {
  const arch::Harvesting& h = board.harvesting;
  const arch::DispatchPair pair = arch::dispatch_pair(h);
  const int tiles = arch::good_tensix_columns(h) * arch::kTensixRows;
  fmt::print("{}: {} Tensix tiles ({} columns), {} DRAM banks of 4 GiB, 1.5 MiB of L1 a tile\n\n", board.name, tiles,
             arch::good_tensix_columns(h), arch::good_dram_banks(h));
  fmt::print("  raw x ");
  for (int x = 0; x < arch::kGridColumns; ++x) fmt::print("{:<3}", x);
  fmt::print("\n  soft  ");
  for (int x = 0; x < arch::kGridColumns; ++x) {
    const arch::NocCoord raw{static_cast<uint8_t>(x), arch::kTensixFirstRow};
    const bool shown = arch::is_tensix_column(x) && arch::tensix_column_good(h, x);
    fmt::print("{:<3}", shown ? fmt::format("{}", arch::logical_id(h, raw).x) : "");
  }
  fmt::print("\n");
  for (int y = 0; y < arch::kGridRows; ++y) {
    fmt::print("  y {:>2}  ", y);
    for (int x = 0; x < arch::kGridColumns; ++x) {
      fmt::print("{} ", cell(board, {static_cast<uint8_t>(x), static_cast<uint8_t>(y)}).mark);
    }
    fmt::print("\n");
  }
  fmt::print(
      "\n  T worker   PF prefetch   DI dispatch   D0..D7 DRAM bank   E Ethernet   P PCIe   A ARC   L L2CPU   S "
      "security\n"
      "  xx harvested   . router only.  'soft' is the translated x that software uses.\n\n"
      "fast dispatch: prefetcher on ({},{}), dispatcher on ({},{}), {} workers\n\n"
      "DRAM bank  NoC 0 tile   NoC 1 tile   (translated x,y)\n",
      pair.prefetch.x, pair.prefetch.y, pair.dispatch.x, pair.dispatch.y, tiles - 2);
  for (int bank = 0; bank < arch::good_dram_banks(h); ++bank) {
    const arch::NocCoord a = arch::dram_bank_tile_for_noc(h, bank, 0), b = arch::dram_bank_tile_for_noc(h, bank, 1);
    fmt::print("  {:>2}       ({:>2},{:>2})      ({:>2},{:>2})\n", bank, a.x, a.y, b.x, b.y);
  }
}

void print_json(const arch::Board& board) {
  const arch::Harvesting& h = board.harvesting;
  const arch::DispatchPair pair = arch::dispatch_pair(h);
  report::Json tiles = report::Json::array();
  for (int y = 0; y < arch::kGridRows; ++y) {
    for (int x = 0; x < arch::kGridColumns; ++x) {
      const arch::NocCoord raw{static_cast<uint8_t>(x), static_cast<uint8_t>(y)};
      const arch::NocCoord soft = arch::logical_id(h, raw);
      tiles.push_back({{"raw", {x, y}}, {"translated", {soft.x, soft.y}}, {"kind", cell(board, raw).kind}});
    }
  }
  report::Json banks = report::Json::array();
  for (int bank = 0; bank < arch::good_dram_banks(h); ++bank) {
    const arch::NocCoord a = arch::dram_bank_tile_for_noc(h, bank, 0), b = arch::dram_bank_tile_for_noc(h, bank, 1);
    banks.push_back({{"bank", bank}, {"noc0", {a.x, a.y}}, {"noc1", {b.x, b.y}}});
  }
  write_json({{"board", board.name},
              {"tensix_tiles", arch::good_tensix_columns(h) * arch::kTensixRows},
              {"workers", arch::good_tensix_columns(h) * arch::kTensixRows - 2},
              {"tensix_columns_mask", h.tensix_columns},
              {"dram_banks_mask", h.dram_banks},
              {"prefetch", {pair.prefetch.x, pair.prefetch.y}},
              {"dispatch", {pair.dispatch.x, pair.dispatch.y}},
              {"dram_banks", banks},
              {"tiles", tiles}});
}

class Info final : public Command {
  void declare(Syntax& syntax) override {
    add_board(syntax, board_);
    syntax.flag("--json", json_, "print it as JSON");
    syntax.footer("Example:\n  kerr info --board p150");
  }

  int run() override {
    json_ ? print_json(board_) : print_text(board_);
    return 0;
  }

  arch::Board board_ = arch::kP100a;
};

}  // namespace

std::unique_ptr<Command> make_info() { return std::make_unique<Info>(); }

}  // namespace kerr::cli
