#include "check/launched_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>

#include "arch/firmware_layout.hpp"
#include "check/component.hpp"
#include "check/frames.hpp"

namespace kerr::check {

namespace {

bool starts(const arch::LaunchMessage& launch, int hart) {
  if (hart >= static_cast<int>(arch::Hart::Trisc0)) return (launch.enables & arch::kEnableTriscs) != 0;
  return (launch.enables & arch::enable_bit(static_cast<arch::Hart>(hart))) != 0;
}

}  // namespace

void LaunchedCode::find_firmware(std::span<const uint8_t> l1) {
  has_looked_ = true;
  if (!library_) return;
  for (const CodeLibrary::Entry& entry : library_->entries()) {
    if (library_->at(l1, entry.load_address) != &entry) continue;
    firmware_.push_back({0, entry.load_address, static_cast<uint32_t>(entry.bytes.size()), &entry});
  }
}

// The files are compared once, for as long as the same bytes lie there.
const CodeLibrary::Entry* LaunchedCode::entry_at(std::span<const uint8_t> l1, uint32_t address) {
  if (!library_ || address >= l1.size()) return nullptr;
  const auto bytes = l1.subspan(address, std::min<size_t>(CodeLibrary::kLooksAt, l1.size() - address));
  const size_t hash = std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const auto [at, is_new] = found_.try_emplace(address, Found{hash, nullptr});
  if (is_new || at->second.hash != hash) at->second = {hash, library_->at(l1, address)};
  return at->second.entry;
}

void LaunchedCode::launched(std::span<const uint8_t> l1, const arch::LaunchMessage& launch, Cycle now) {
  if (!has_looked_) find_firmware(l1);
  for (int h = 0; h < arch::kHarts; ++h) {
    if (!starts(launch, h)) continue;
    const auto n = static_cast<size_t>(h);
    const uint32_t address = launch.kernel_config_base[0] + launch.kernel_text_offset[n];
    const CodeLibrary::Entry* const entry = entry_at(l1, address);
    std::deque<Text>& texts = kernels_[n];
    if (!texts.empty() && texts.back().address == address && texts.back().entry == entry) continue;
    texts.push_back({now, address, entry != nullptr ? static_cast<uint32_t>(entry->bytes.size()) : 0, entry});
    if (texts.size() > kMostTexts) texts.pop_front();
  }
}

void LaunchedCode::name(Site& site) const {
  if (!site.pc || !site.kernel.empty() || !site.frames.empty() || !is_hart(site.hart)) return;
  const auto h = static_cast<size_t>(hart_index(site.hart));
  const uint32_t pc = *site.pc;
  const auto holds = [&](const Text& t) { return pc - t.address < t.bytes; };
  const auto tell = [&](const Text& t) {
    site.kernel = t.entry->name;
    site.frames = frames_at(*t.entry->image, pc - t.address + t.entry->address);
  };
  if (const auto found = std::ranges::find_if(firmware_, holds); found != firmware_.end()) return tell(*found);
  for (auto text = kernels_[h].rbegin(); text != kernels_[h].rend(); ++text) {
    if (text->since > site.cycle || pc < text->address) continue;
    if (text->entry == nullptr) {
      if (arch::is_in_firmware(h, pc)) return;
      // Nobody knows where it ends.
      site.frames = {Frame{.function = fmt::format("{}'s kernel + {:#x}", arch::kHartNames[h], pc - text->address)}};
      return;
    }
    if (holds(*text)) return tell(*text);
  }
}

}  // namespace kerr::check
