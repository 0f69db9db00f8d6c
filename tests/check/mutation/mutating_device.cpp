#include "tests/check/mutation/mutating_device.hpp"

#include "arch/bytes.hpp"

namespace kerr::mutation {

void MutatingDevice::write(host::Bar bar, uint64_t offset, std::span<const std::byte> bytes, host::Caching caching) {
  if (target_ == nullptr) {
    for (Loaded& l : loaded_) {
      if (!l.is_written) l.is_written = !std::ranges::search(bytes, std::as_bytes(std::span(l.bytes))).empty();
    }
  }
  if (target_ == nullptr || bytes.size() < target_->bytes.size()) return device_.write(bar, offset, bytes, caching);
  const auto text = std::as_bytes(std::span(target_->bytes));
  const auto found = std::ranges::search(bytes, text);
  if (found.empty()) return device_.write(bar, offset, bytes, caching);
  std::vector<std::byte> changed(bytes.begin(), bytes.end());
  const auto at = static_cast<size_t>(found.begin() - bytes.begin());
  for (const auto& [address, word] : mutant_->words) {
    for (size_t i = 0; i < 4; ++i) changed[at + address - target_->address + i] = static_cast<std::byte>(word >> 8 * i);
  }
  applied_ = true;
  device_.write(bar, offset, changed, caching);
}

void MutatingDevice::note(const arch::note::Note& note) {
  if (const auto* booted = std::get_if<arch::note::Booted>(&note)) {
    for (size_t h = 0; h < booted->firmware.size(); ++h) collect(booted->firmware[h], static_cast<arch::Hart>(h));
  } else if (const auto* launched = std::get_if<arch::note::Launched>(&note)) {
    for (const auto& group : launched->groups) {
      for (const auto& kernel : group.kernels) collect(kernel.code, kernel.hart);
    }
  }
  device_.note(note);
}

void MutatingDevice::collect(const arch::note::Code& code, arch::Hart hart) {
  if (!code.image) return;
  for (const image::Segment& segment : code.image->segments) {
    if (!segment.executable || !segment.contains(code.image_address)) continue;
    const auto same = [&](const Loaded& l) { return l.image->name == code.image->name && l.bytes == segment.bytes; };
    if (std::ranges::any_of(loaded_, same)) continue;
    loaded_.push_back({code.image, segment.address, segment.bytes, hart,
                       code.address - (code.image_address - segment.address), false});
  }
}

}  // namespace kerr::mutation
