#include "debug/recorded_code.hpp"

#include <map>
#include <utility>

#include "arch/harvesting.hpp"
#include "emu/machine/input_log.hpp"
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
  const std::vector<arch::Board> boards = reader.info().machine.options().boards;
  const arch::TranslationTables tables = arch::translation_tables(boards.front().harvesting, 0);
  notes::NoteReader notes;
  Moved moved;
  std::map<arch::NocCoord, std::vector<Code>> of_core;
  while (const emu::Input* const input = reader.next()) {
    if (input->kind != emu::Input::Kind::Note) continue;
    const arch::note::Note note = notes.note_of(input->bytes);
    const auto* const launch = std::get_if<Launched>(&note);
    if (launch == nullptr) continue;
    for (const Launched::Group& group : launch->groups) {
      for (const arch::NocCoord core : group.cores) {
        const arch::NocCoord raw = arch::raw_of(tables, 0, core);
        if (!raw.on_grid() || (input->cycle > cycle && of_core.contains(core))) continue;
        std::vector<Code>& code = of_core[core];
        code.clear();
        for (const Launched::Kernel& kernel : group.kernels) {
          if (kernel.code.image == nullptr) continue;
          code.push_back({emu::TileId::at(0, raw.x, raw.y), kernel.hart, moved.at_its_place(kernel.code)});
        }
      }
    }
  }
  std::vector<Code> out;
  for (const auto& [core, code] : of_core) out.insert(out.end(), code.begin(), code.end());
  return out;
}

}  // namespace kerr::debug
