#include "prints/printer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "emu/observe/agent_names.hpp"
#include "isa/hints.hpp"
#include "prints/format.hpp"

namespace kerr::prints {

namespace {

constexpr emu::Agent agent_of(size_t hart) {
  return static_cast<emu::Agent>(static_cast<size_t>(emu::Agent::Brisc) + hart);
}
constexpr size_t hart_of(emu::Agent agent) {
  return static_cast<size_t>(agent) - static_cast<size_t>(emu::Agent::Brisc);
}

}  // namespace

Printer::Printer(const std::vector<arch::Board>& boards, Show show, std::optional<uint32_t> stock)
    : places_(boards), show_(std::move(show)), stock_(stock), chips_(boards.size()) {
  if (!stock_) return;
  for (uint32_t hart = 0; hart < arch::kHarts; ++hart) watched_.push_back({*stock_ + stock::kBytes * hart, 4});
}

void Printer::add(ElfFile file) {
  code_.add(file.image);
  if (file.device.empty()) return;
  device_files_.add(std::move(file));
  if (stock_) watched_.assign(1, {*stock_, 4});
}

void Printer::finish() {
  for (Tile* const tile : tiles_) {
    for (size_t hart = 0; hart < arch::kHarts; ++hart) {
      if (tile->begun[hart].any) end(*tile, hart);
      StockBuffer& buffer = tile->stock[hart];
      if (std::string rest = buffer.items.rest(); !rest.empty())
        say(*tile, agent_of(hart), buffer.line_cycle, "", rest);
    }
  }
  show_lines();
}

std::any Printer::memory() const {
  Memory memory;
  for (const Tile* const tile : tiles_) memory.emplace_back(tile->view.tile, *tile);
  return memory;
}

void Printer::recall(const std::any& memory) {
  for (const auto& [id, progress] : std::any_cast<const Memory&>(memory))
    if (Tile* const tile = find(id)) static_cast<Progress&>(*tile) = progress;
}

void Printer::chip_made(int chip, emu::Cycle) {
  show_lines();
  for (auto& tile : chips_[static_cast<size_t>(chip)]) {
    std::erase(tiles_, tile.get());
    tile.reset();
  }
}

void Printer::tile_made(const emu::TileView& view) {
  auto& tile = chips_[view.tile.chip][view.tile.node];
  if (tile) return;
  tile = std::make_unique<Tile>(view);
  tiles_.push_back(tile.get());
  std::ranges::sort(tiles_, {}, [](const Tile* t) { return std::pair(t->view.tile.chip, t->view.tile.node); });
}

Printer::Tile* Printer::find(emu::TileId tile) const {
  return tile.chip < chips_.size() ? chips_[tile.chip][tile.node].get() : nullptr;
}

void Printer::say(Tile& tile, emu::Agent agent, emu::Cycle cycle, std::string source, std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (tile.lines.size() >= kMostLines) {
    ++tile.left_out;
    return;
  }
  tile.lines.push_back({cycle, tile.view.tile, agent, std::move(source), std::string(text)});
}

// --- words of prints -------------------------------------------------------------------------------------------------

void Printer::printed(const emu::PrintWord& word) {
  Tile* const tile = find(word.tile);
  const auto hint = isa::hint::decode(word.instruction);
  if (!tile || !hint) return;
  const size_t hart = hart_of(word.agent);
  Begun& begun = tile->begun[hart];
  const uint32_t id = hint->print_id();
  if (begun.any && (begun.id != id || begun.next_pc != word.pc || begun.count == begun.words.size())) end(*tile, hart);
  if (!begun.any) begun = {.any = true, .id = id, .pc = word.pc, .cycle = word.cycle};
  begun.words[begun.count++] = word.value;
  begun.next_pc = word.pc + 4;
  if (hint->last()) end(*tile, hart);
}

void Printer::end(Tile& tile, size_t hart) {
  const Begun begun = std::exchange(tile.begun[hart], {});
  const std::span words(begun.words.data(), begun.count);
  const PrintTable::Entry* const entry = code_.find(tile.view.tile.chip, places_.of(tile.view.tile),
                                                    static_cast<arch::Hart>(hart), begun.pc, begun.id, tile.view.l1);
  if (entry) {
    return say(tile, agent_of(hart), begun.cycle, entry->source,
               text_of(entry->print, words, [&](uint32_t address) { return string_at(tile, hart, address); }));
  }
  std::string text = fmt::format("print {} of unknown code at pc {:#x}:", begun.id, begun.pc);
  for (const uint32_t word : words) text += fmt::format(" {:#x}", word);
  say(tile, agent_of(hart), begun.cycle, "", text);
}

std::string Printer::string_at(const Tile& tile, size_t hart, uint32_t address) const {
  constexpr size_t kMost = 256;
  std::span<const uint8_t> memory;
  if (address < tile.view.l1.size()) {
    memory = tile.view.l1.subspan(address);
  } else if (address - arch::kLdmBase < tile.view.local_memory[hart].size()) {
    memory = tile.view.local_memory[hart].subspan(address - arch::kLdmBase);
  } else {
    return fmt::format("(no string at {:#x})", address);
  }
  std::string out;
  for (const uint8_t c : memory) {
    if (c == 0) return out;
    if (out.size() == kMost) return out + "...";
    out += static_cast<char>(c);
  }
  return out;
}

// --- tt-metal's buffers ----------------------------------------------------------------------------------------------

void Printer::before_write(emu::TileId id, emu::Agent, emu::Cycle cycle, uint32_t line, emu::L1::LineBytes written) {
  Tile* const tile = find(id);
  if (!tile) return;
  if (!device_files_.empty()) {
    const Range& wpos = watched_[0];
    if ((emu::L1::bytes_of_line(line, wpos.address, wpos.bytes) & written) == 0) return;
    look_at_records(*tile);
    tile->records_news = cycle;
    return;
  }
  for (size_t hart = 0; hart < watched_.size(); ++hart) {
    const uint32_t begin = line * emu::L1::kLineBytes;
    const Range& wpos = watched_[hart];
    if (wpos.address + wpos.bytes <= begin || wpos.address >= begin + emu::L1::kLineBytes) continue;
    if ((emu::L1::bytes_of_line(line, wpos.address, wpos.bytes) & written) == 0) continue;
    look(*tile, hart);
    tile->stock[hart].news = true;
    tile->stock[hart].cycle = cycle;
  }
}

uint32_t Printer::stock_word(const Tile& tile, size_t hart) const {
  const uint32_t at = watched_[hart].address;
  uint32_t word = 0;
  if (at <= tile.view.l1.size() && tile.view.l1.size() - at >= stock::kBytes)
    std::memcpy(&word, tile.view.l1.data() + at, sizeof word);
  return word;
}

// What has been written since it was last looked at. What the device writes behind the end of its buffer it writes only
// when wpos has become 0, which is seen before.
void Printer::look(Tile& tile, size_t hart) {
  StockBuffer& buffer = tile.stock[hart];
  if (!std::exchange(buffer.news, false)) return;
  const uint32_t wpos = stock_word(tile, hart);
  if (wpos == stock::kStarting || wpos == stock::kDisabled) {
    buffer.on = wpos == stock::kStarting;
    buffer.shown = 0;
    return;
  }
  if (!buffer.on || wpos > stock::kDataBytes) return;
  if (wpos < buffer.shown) buffer.shown = 0;
  const std::span<const uint8_t> items = tile.view.l1.subspan(watched_[hart].address + stock::kData, stock::kDataBytes);
  for (const std::string& text : buffer.items.take(items.subspan(buffer.shown, wpos - buffer.shown)))
    say(tile, agent_of(hart), buffer.cycle, "", text);
  buffer.line_cycle = buffer.cycle;
  buffer.shown = wpos;
}

void Printer::look_at_records(Tile& tile) {
  const auto cycle = std::exchange(tile.records_news, std::nullopt);
  const uint32_t at = watched_[0].address;
  if (!cycle || tile.view.l1.size() < device_print::kBytes || at > tile.view.l1.size() - device_print::kBytes) return;
  const auto string_of = [&](size_t hart, uint32_t address) { return string_at(tile, hart, address); };
  tile.records.written(stock_word(tile, 0), tile.view.l1.subspan(at + device_print::kData, device_print::kDataBytes),
                       tile.view.l1, device_files_, string_of, [&](const DeviceRecords::Said& said) {
                         say(tile, agent_of(said.hart), *cycle, said.source, said.text);
                       });
}

// --- lines -----------------------------------------------------------------------------------------------------------

void Printer::window_ended(emu::Cycle) {
  for (Tile* const tile : tiles_) {
    if (tile->records_news) look_at_records(*tile);
    for (size_t hart = 0; hart < arch::kHarts; ++hart) {
      if (tile->stock[hart].news) look(*tile, hart);
    }
  }
  show_lines();
}

void Printer::show_lines() {
  std::vector<Line> lines;
  for (Tile* const tile : tiles_) {
    if (tile->lines.empty()) continue;
    lines.insert(lines.end(), std::make_move_iterator(tile->lines.begin()), std::make_move_iterator(tile->lines.end()));
    if (const uint64_t left_out = std::exchange(tile->left_out, 0); left_out != 0) {
      Line last = lines.back();
      last.source.clear();
      last.text = fmt::format("and {} more lines of this tile", left_out);
      lines.push_back(std::move(last));
    }
    tile->lines.clear();
  }
  if (lines.empty()) return;
  std::ranges::stable_sort(lines, {},
                           [](const Line& l) { return std::tuple(l.cycle, l.tile.chip, l.tile.node, l.agent); });
  std::string out;
  for (const Line& line : lines) out += text(line);
  show_(out);
}

// A print of several lines is as many, each with its head.
std::string Printer::text(const Line& line) const {
  const std::string head = fmt::format("{} {} {}{}{}: ", check::grouped(line.cycle), places_.text(line.tile),
                                       emu::name(line.tile, line.agent), line.source.empty() ? "" : " ", line.source);
  std::string out;
  std::string_view rest = line.text;
  for (;;) {
    const size_t end = rest.find('\n');
    out += head + check::printable(rest.substr(0, end)) + "\n";
    if (end == rest.npos) return out;
    rest.remove_prefix(end + 1);
  }
}

}  // namespace kerr::prints
