#include "check/declarations.hpp"

#include <algorithm>
#include <utility>

#include "arch/memory_map.hpp"
#include "image/image.hpp"

namespace kerr::check {

namespace {

constexpr uint64_t bytes_of(uint64_t bytes) { return std::clamp<uint64_t>(bytes, 1, arch::kL1Bytes); }

}  // namespace

Declarations::Declarations(std::vector<Annotation> annotations) {
  for (Annotation& a : annotations) {
    if (a.kind == Annotation::Kind::Region) continue;  // a name: check/names.hpp
    if (a.address) {
      everywhere_.push_back({a.kind, *a.address, bytes_of(a.bytes)});
    } else {
      symbols_.push_back({std::move(a)});
    }
  }
}

std::vector<Declarations::Range> Declarations::of(const arch::note::Code& code) {
  std::vector<Range> out;
  if (!code.image) return out;
  for (Symbol& s : symbols_) {
    const isa::Symbol* const symbol = code.image->symbol(s.annotation.name);
    if (symbol == nullptr) continue;
    const bool moves = symbol->address - code.image_address < code.bytes;
    const uint32_t address = moves ? symbol->address - code.image_address + code.address : symbol->address;
    if (address >= arch::kL1Bytes) continue;  // in the hart's own memory
    s.known = true;
    out.push_back(
        {s.annotation.kind, address, bytes_of(s.annotation.bytes != 0 ? s.annotation.bytes : symbol->size_bytes)});
  }
  return out;
}

std::vector<Annotation> Declarations::unknown() const {
  std::vector<Annotation> out;
  for (const Symbol& s : symbols_)
    if (!s.known) out.push_back(s.annotation);
  return out;
}

}  // namespace kerr::check
