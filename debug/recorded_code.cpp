#include "debug/recorded_code.hpp"

#include <map>
#include <optional>
#include <utility>

#include "emu/machine/input_log.hpp"
#include "emu/observe/noted_tiles.hpp"
#include "notes/note_bytes.hpp"

namespace kerr::debug {

namespace {

using arch::note::Launched;

/// Images at the addresses at which they run; those of many cores are one.
class Moved {
 public:
  std::shared_ptr<const image::Image> at_its_place(const arch::note::Code& code) {
    const uint32_t delta = code.address - code.image_address;
    auto& moved = all_[{code.image.get(), delta}];
    if (!moved) moved = std::make_shared<const image::Image>(code.image->moved_by(delta));
    return moved;
  }

 private:
  std::map<std::pair<const image::Image*, uint32_t>, std::shared_ptr<const image::Image>> all_;
};

}  // namespace

std::vector<Code> code_in_log(const std::string& log, bool unfinished, uint64_t cycle) {
  emu::LogReader reader(log, unfinished);
  const emu::NotedTiles tiles(reader.info().machine.options().boards);
  notes::NoteReader notes;
  Moved moved;
  std::map<emu::TileId, std::vector<Code>> of_tile;
  while (const emu::Input* const input = reader.next()) {
    if (input->kind != emu::Input::Kind::Note) continue;
    const arch::note::Note note = notes.note_of(input->bytes);
    const auto* const launch = std::get_if<Launched>(&note);
    if (launch == nullptr) continue;
    for (const Launched::Group& group : launch->groups) {
      for (const arch::NocCoord core : group.cores) {
        const std::optional<emu::TileId> tile = tiles.at(launch->chip, core);
        if (!tile || (input->cycle > cycle && of_tile.contains(*tile))) continue;
        std::vector<Code>& code = of_tile[*tile];
        code.clear();
        for (const Launched::Kernel& kernel : group.kernels) {
          if (kernel.code.image == nullptr) continue;
          code.push_back({*tile, kernel.hart, moved.at_its_place(kernel.code)});
        }
      }
    }
  }
  std::vector<Code> out;
  for (const auto& [tile, code] : of_tile) out.insert(out.end(), code.begin(), code.end());
  return out;
}

}  // namespace kerr::debug
