#include "emu/riscv/code_cache.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "emu/hash.hpp"
#include "emu/riscv/stop_instruction.hpp"

namespace kerr::emu {

size_t DecodedLines::Hash::operator()(const Content& content) const { return mix_bytes(0, content); }

const DecodedLine* DecodedLines::take(const uint8_t* line) {
  Content content;
  std::memcpy(content.data(), line, content.size());
  const std::lock_guard lock(mutex_);
  if (const auto known = lines_.find(content); known != lines_.end()) return ++known->second.takers, &known->second;
  if (lines_.size() >= prune_at_) {  // a program that keeps rewriting itself must not fill memory
    std::erase_if(lines_, [](const auto& entry) { return entry.second.takers == 0; });
    prune_at_ = 2 * lines_.size() + 1024;
  }
  Shared& decoded = lines_[content];
  decoded.takers = 1;
  for (size_t i = 0; i < decoded.instructions.size(); ++i) {
    uint32_t word;
    std::memcpy(&word, line + 4 * i, 4);
    decoded.instructions[i] = isa::riscv::decode(word);
  }
  translate(decoded);
  return &decoded;
}

void DecodedLines::give_back(const DecodedLine* line) {
  const std::lock_guard lock(mutex_);
  --const_cast<Shared*>(static_cast<const Shared*>(line))->takers;
}

CodeCache::CodeCache(L1& l1, std::shared_ptr<DecodedLines> shared)
    : l1_(l1),
      shared_(shared ? std::move(shared) : std::make_shared<DecodedLines>()),
      near_(std::make_unique<Near>()) {}

CodeCache::~CodeCache() {
  uint64_t eight = 0;
  for (uint32_t first = 0; first < L1::kLines; first += sizeof eight) {
    std::memcpy(&eight, l1_.attributes() + first, sizeof eight);
    if (eight == 0) continue;
    for (uint32_t line = first; line < first + sizeof eight; ++line) {
      if (l1_.attributes()[line] & L1::kDecoded) give_back(line, slot(line));
    }
  }
}

const DecodedLine*& CodeCache::slot(uint32_t line) {
  if (line < kNearLines) return near_->lines[line];
  if (!far_) far_ = ZeroedPages(kFarBytes);
  return far_lines()[line - kNearLines];
}

const DecodedLine* CodeCache::decode(uint32_t line) {
  const DecodedLine*& decoded = slot(line);
  decoded = shared_->take(l1_.data() + line * L1::kLineBytes);
  if (stops_) [[unlikely]]
    decoded = with_stops(line, decoded);
  l1_.attributes()[line] |= L1::kDecoded;
  return decoded;
}

void CodeCache::drop(uint32_t line) {
  l1_.attributes()[line] &= static_cast<uint8_t>(~L1::kDecoded);
  give_back(line, std::exchange(slot(line), nullptr));
  ++changes_;
}

void CodeCache::give_back(uint32_t line, const DecodedLine* decoded) {
  if (!stops_ || stops_->lines.erase(line) == 0) shared_->give_back(decoded);
}

const DecodedLine* CodeCache::with_stops(uint32_t line, const DecodedLine* decoded) {
  const uint32_t begin = line * L1::kLineBytes;
  const auto first = std::ranges::lower_bound(stops_->addresses, begin);
  if (first == stops_->addresses.end() || *first >= begin + L1::kLineBytes) return decoded;
  DecodedLine& own = stops_->lines[line];
  own.instructions = decoded->instructions;
  shared_->give_back(decoded);
  for (auto at = first; at != stops_->addresses.end() && *at < begin + L1::kLineBytes; ++at)
    own.instructions[(*at - begin) / 4] = kStopInstruction;
  shared_->translate(own);
  return &own;
}

void CodeCache::stop_at(std::vector<uint32_t> addresses) {
  if (!stops_) stops_ = std::make_unique<Stops>();
  std::vector<uint32_t> changed;
  std::ranges::set_symmetric_difference(stops_->addresses, addresses, std::back_inserter(changed));
  stops_->addresses = std::move(addresses);
  for (const uint32_t address : changed) {
    const uint32_t line = address / L1::kLineBytes;
    if (line < L1::kLines && (l1_.attributes()[line] & L1::kDecoded) != 0) drop(line);
  }
}

}  // namespace kerr::emu
