// Shows what the programs of a machine print.   docs/guide/prints.md
#pragma once

#include <any>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arch/boards.hpp"
#include "check/report/places.hpp"
#include "emu/observe/print_listener.hpp"
#include "prints/device_print.hpp"
#include "prints/elf_file.hpp"
#include "prints/known_code.hpp"
#include "prints/line.hpp"
#include "prints/stock.hpp"

namespace kerr::prints {

/// Is made before the machine and outlives it (emu::Options::prints).
class Printer final : public emu::PrintListener {
 public:
  /// Is given whole lines, each with its new line, at the end of the window in which they were printed, in the order of
  /// cycle, tile and agent.
  using Show = std::function<void(std::string_view)>;

  /// `boards`: of the machine. `stock`: where tt-metal's print buffers lie, if they are to be looked at.
  Printer(const std::vector<arch::Board>& boards, Show show, std::optional<uint32_t> stock = stock::kUsualAddress);

  /// Code of kernels of which no note of the host stack tells. Before the machine is made.
  void add(std::shared_ptr<const image::Image> image) { code_.add(std::move(image)); }
  /// The same of a file. If it has formats of tt-metal's DEVICE_PRINT, buffers are read as that writes them.
  void add(ElfFile file);
  /// Shows what has been printed and not been shown: in the middle of a window, on one thread.
  void show_now() { show_lines(); }
  /// Shows what has been begun and not ended: once the machine has ended.
  void finish();

  /// What it has read of buffers and words that have come, between windows: for who takes the machine back to where it
  /// is now, and then recalls this.
  std::any memory() const;
  void recall(const std::any& memory);

  void chip_made(int chip, emu::Cycle now) override;
  void tile_made(const emu::TileView& tile) override;
  void noted(const arch::note::Note& note, emu::Cycle) override { code_.noted(note); }
  void printed(const emu::PrintWord& word) override;
  std::span<const Range> watched() const override { return watched_; }
  void before_write(emu::TileId tile, emu::Agent by, emu::Cycle cycle, uint32_t line,
                    emu::L1::LineBytes written) override;
  void window_ended(emu::Cycle now) override;

 private:
  /// A print of which not all words have come.
  struct Begun {
    bool any = false;
    uint32_t id = 0, pc = 0, next_pc = 0;
    emu::Cycle cycle = 0;
    uint32_t count = 0;
    std::array<uint32_t, 8> words{};
  };
  struct StockBuffer {
    bool on = false;     // the host has said that it reads it
    bool news = false;   // wpos was written at `cycle`, and what it says not looked at
    uint32_t shown = 0;  // bytes of items
    emu::Cycle cycle = 0, line_cycle = 0;
    StockItems items;
  };
  /// How far the prints of a tile have been read.
  struct Progress {
    std::array<Begun, arch::kHarts> begun;
    std::array<StockBuffer, arch::kHarts> stock;
    DeviceRecords records;
    std::optional<emu::Cycle> records_news;  // when wpos was written and not looked at
  };
  struct Tile : Progress {
    explicit Tile(const emu::TileView& v) : view(v) {}
    emu::TileView view;
    std::vector<Line> lines;  // of this window
    uint64_t left_out = 0;
  };
  using Memory = std::vector<std::pair<emu::TileId, Progress>>;
  static constexpr size_t kMostLines = 1 << 16;  // of a tile in a window

  Tile* find(emu::TileId tile) const;
  void say(Tile& tile, emu::Agent agent, emu::Cycle cycle, std::string source, std::string_view text);
  void end(Tile& tile, size_t hart);
  std::string string_at(const Tile& tile, size_t hart, uint32_t address) const;
  void look(Tile& tile, size_t hart);
  void look_at_records(Tile& tile);
  uint32_t stock_word(const Tile& tile, size_t hart) const;
  void show_lines();
  std::string text(const Line& line) const;

  const check::Places places_;
  const Show show_;
  const std::optional<uint32_t> stock_;
  std::vector<Range> watched_;
  KnownCode code_;
  DeviceFiles device_files_;
  std::vector<std::array<std::unique_ptr<Tile>, 256>> chips_;
  std::vector<Tile*> tiles_;
};

}  // namespace kerr::prints
