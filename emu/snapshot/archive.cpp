#include "emu/snapshot/archive.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>

#include "arch/bytes.hpp"
#include "emu/agent.hpp"
#include "emu/hash.hpp"
#include "emu/memory/pages.hpp"
#include "emu/process_mutex.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace kerr::emu {

namespace {

bool all_zero(const uint8_t* data, size_t bytes) { return data[0] == 0 && std::memcmp(data, data + 1, bytes - 1) == 0; }

// "Tile" for kerr::emu::Tile.
std::string plain_name(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status),
                                                         std::free);
  std::string name = demangled ? demangled.get() : type.name();
  for (const std::string_view space : {"kerr::", "emu::", "tensix::", "math::", "arch::", "pcie::"}) {
    for (size_t at = name.find(space); at != std::string::npos; at = name.find(space)) name.erase(at, space.size());
  }
  return name;
}

ProcessMutex kept_mutex;

// Strings that are never freed: literals of a restored machine point to them. They are few, because they were literals.
const char* kept(const std::string& text) {
  static constexpr size_t kMost = 4096;
  std::lock_guard lock(kept_mutex);
  static auto& strings = *new std::set<std::string>;
  if (strings.size() >= kMost && !strings.contains(text)) return "";
  return strings.insert(text).first->c_str();
}

}  // namespace

void Archive::refuse(const std::string& why) const {
  std::string place;
  for (size_t i = std::min(depth_, kDepth); i-- > 0;) {
    if (!place.empty()) place += " of ";
    place += plain_name(*path_[i]);
  }
  throw SnapshotError(place.empty() ? why : fmt::format("{}, in the {}", why, place));
}

void Archive::visit(bool& value) {
  uint8_t byte = 0;
  if (!loading()) byte = value;
  raw(&byte, 1);
  if (!loading()) return;
  if (byte > 1) refuse("a flag is neither 0 nor 1");
  value = byte != 0;
}

void Archive::count_of(uint32_t& count, size_t most) {
  raw(&count, sizeof count);
  if (loading() && count > most) refuse(fmt::format("a list has {} entries, more than {}", count, most));
}

void Archive::blob(std::vector<uint8_t>& value, size_t most) {
  constexpr size_t kStep = 1 << 20;  // memory is taken as bytes come, not because a file announces them
  uint32_t count = static_cast<uint32_t>(value.size());
  count_of(count, most);
  if (loading()) value.clear();
  for (size_t at = 0; at < count; at += kStep) {
    const size_t part = std::min(kStep, count - at);
    if (loading()) value.resize(at + part);
    raw(value.data() + at, part);
  }
}

void Archive::text(std::string& value, size_t most) {
  uint32_t bytes = static_cast<uint32_t>(std::min(value.size(), most));
  count_of(bytes, most);
  if (loading()) value.resize(bytes);
  if (bytes != 0) raw(value.data(), bytes);
}

void Archive::literal(const char*& value) {
  std::string text = value;
  visit(text);
  if (loading()) value = kept(text);
}

void Archive::pages(void* data, size_t bytes) {
  if (surveying()) return raw(data, bytes);
  uint8_t* const begin = static_cast<uint8_t*>(data);
  const auto page_bytes = [&](size_t page) { return std::min(kSmallPageBytes, bytes - page * kSmallPageBytes); };
  std::vector<uint8_t> present;
  if (loading()) {
    present.resize((bytes + kSmallPageBytes - 1) / kSmallPageBytes);
  } else {
    present = touched_pages(data, bytes);
    for (size_t page = 0; page < present.size(); ++page)
      present[page] = present[page] && !all_zero(begin + page * kSmallPageBytes, page_bytes(page));
  }
  raw(present.data(), present.size());
  for (size_t page = 0; page < present.size(); ++page) {
    if (present[page]) raw(begin + page * kSmallPageBytes, page_bytes(page));
  }
}

void serialize(Archive& archive, TileId& tile) {
  archive.below(static_cast<uint64_t>(archive.chips), tile.chip);
  archive.below(arch::kGridTiles, tile.node);
}

// ---------------------------------------------------------------- hash

struct HashArchive::State {
  alignas(64) XXH3_state_t xxh;
};

HashArchive::HashArchive() : Archive(Purpose::Hash), state_(new State) { XXH3_64bits_reset(&state_->xxh); }
HashArchive::~HashArchive() { delete state_; }
void HashArchive::raw(void* data, size_t bytes) { XXH3_64bits_update(&state_->xxh, data, bytes); }
uint64_t HashArchive::value() const { return XXH3_64bits_digest(&state_->xxh); }

// ---------------------------------------------------------------- survey

void SurveyArchive::raw(void*, size_t bytes) { layout_ = mix(layout_, bytes); }

void SurveyArchive::enter(const std::type_info& type) {
  Archive::enter(type);
  const std::string_view name = type.name();
  layout_ = mix_bytes(layout_, arch::as_uint8(name));
  classes_.insert(plain_name(type));
}

}  // namespace kerr::emu
