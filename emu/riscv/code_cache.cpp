#include "emu/riscv/code_cache.hpp"

#include <sys/mman.h>

#include <cstring>
#include <new>
#include <utility>

#include "emu/observe/hash.hpp"
#include "emu/provide_pages.hpp"

namespace kerr::emu {

namespace {

constexpr std::size_t kTableBytes = L1::kLines * sizeof(const DecodedLine*);
constexpr std::size_t kFirmwareLines = 512;  // 32 KiB of code

// Memory from the heap would be zeroed by hand whenever a tile had it before: 192 KiB of each tile, of which few are used.
void* mapped() {
  void* const memory =
      ::mmap(nullptr, kTableBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  provide_pages(memory, kFirmwareLines * sizeof(const DecodedLine*));
  return memory;
}

}  // namespace

std::size_t DecodedLines::Hash::operator()(const Content& content) const { return mix_bytes(0, content); }

std::shared_ptr<const DecodedLine> DecodedLines::intern(const std::uint8_t* line) {
  Content content;
  std::memcpy(content.data(), line, content.size());
  const std::lock_guard lock(mutex_);
  std::weak_ptr<const DecodedLine>& slot = lines_[content];
  if (auto known = slot.lock()) return known;
  auto decoded = std::make_shared<DecodedLine>();
  for (std::size_t i = 0; i < decoded->instructions.size(); ++i) {
    std::uint32_t word;
    std::memcpy(&word, line + 4 * i, 4);
    decoded->instructions[i] = isa::riscv::decode(word);
  }
  translate(decoded->instructions, decoded->micro_ops);
  slot = decoded;
  if (lines_.size() >= prune_at_) {  // a program that rewrites itself for ever must not fill memory
    std::erase_if(lines_, [](const auto& entry) { return entry.second.expired(); });
    prune_at_ = 2 * lines_.size() + 1024;
  }
  return decoded;
}

std::size_t DecodedLines::size() const {
  const std::lock_guard lock(mutex_);
  return lines_.size();
}

CodeCache::CodeCache(L1& l1, std::shared_ptr<DecodedLines> shared)
    : l1_(l1),
      shared_(shared ? std::move(shared) : std::make_shared<DecodedLines>()),
      lines_(static_cast<const DecodedLine**>(mapped())) {}

void CodeCache::Unmap::operator()(void* memory) const { ::munmap(memory, kTableBytes); }

const DecodedLine* CodeCache::decode(std::uint32_t line) {
  std::unique_ptr<Page>& page = pages_[line / kPageLines];
  if (!page) page = std::make_unique<Page>();
  auto& slot = (*page)[line % kPageLines];
  slot = shared_->intern(l1_.data() + line * L1::kLineBytes);
  l1_.attributes()[line] |= L1::kDecoded;
  return lines_[line] = slot.get();
}

void CodeCache::drop(std::uint32_t line) {
  l1_.attributes()[line] &= static_cast<std::uint8_t>(~L1::kDecoded);
  if (const auto& page = pages_[line / kPageLines]) (*page)[line % kPageLines].reset();
  lines_[line] = nullptr;
  ++changes_;
}

}  // namespace kerr::emu
