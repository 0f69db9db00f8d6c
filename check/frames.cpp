#include "check/frames.hpp"

namespace kerr::check {

std::vector<Frame> frames_at(const image::Image& image, uint32_t address) {
  Frame frame;
  const image::LineEntry* const line = image.line_at(address);
  if (const image::Symbol* symbol = image.symbol_at(address)) {
    frame.function = symbol->kind == image::Symbol::Kind::Function ? symbol->name + "()" : symbol->name;
    frame.offset = address - symbol->address;
  } else if (line != nullptr) {
    frame.function = line->function;
  }
  if (line != nullptr) {
    frame.file = line->file;
    frame.line = line->line;
  }
  if (frame == Frame{}) return {};
  if (line == nullptr || line->inner_file.empty()) return {frame};
  return {Frame{.file = line->inner_file, .line = line->inner_line}, frame};
}

}  // namespace kerr::check
