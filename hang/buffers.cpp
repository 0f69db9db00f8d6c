#include "hang/buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "arch/bank_table.hpp"
#include "arch/firmware_layout.hpp"
#include "arch/kernel_abi.hpp"
#include "arch/messages.hpp"
#include "arch/stream_registers.hpp"
#include "hang/things.hpp"

namespace kerr::hang {

namespace {

using Buffer = arch::note::Launched::CircularBuffer;

template <class T>
std::optional<T> at(std::span<const uint8_t> memory, uint64_t offset) {
  if (offset > memory.size() || sizeof(T) > memory.size() - offset) return std::nullopt;
  T out;
  std::memcpy(static_cast<void*>(&out), memory.data() + offset, sizeof(T));
  return out;
}

// The circular buffers of the launch that the tile's firmware executes. None if its message makes no sense.
std::vector<Buffer> buffers_in_l1(std::span<const uint8_t> l1) {
  const arch::FirmwareLayout& layout = arch::kFwB;
  const uint32_t slot = at<uint32_t>(l1, layout.launch_rd_ptr).value_or(0) % layout.launch_entries;
  const auto launch = at<arch::LaunchMessage>(l1, layout.launch_entry(slot));
  std::vector<Buffer> out;
  if (!launch || launch->enables == 0) return out;
  for (uint32_t id = 0; id < layout.circular_buffers; ++id) {
    if (!(launch->local_cb_mask >> id & 1)) continue;
    const auto config = at<arch::CbConfig>(
        l1, uint64_t{launch->kernel_config_base[0]} + launch->local_cb_offset + sizeof(arch::CbConfig) * id);
    if (!config || config->num_pages == 0 || config->size != uint64_t{config->num_pages} * config->page_size ||
        uint64_t{config->address} + config->size > l1.size())
      return {};
    out.push_back({static_cast<uint8_t>(id), config->address, config->size, config->num_pages, config->page_size});
  }
  return out;
}

class Buffers {
 public:
  Buffers(emu::Machine& machine, const Scene& scene, emu::TileId id)
      : scene_(scene),
        id_(id),
        tile_(machine.chip(id.chip).tiles.at_present(id.node)),
        layout_(arch::firmware_layout_for(machine.options().boards[id.chip].harvesting)) {
    for (size_t t = 0; t < scene.tiles().size(); ++t)
      if (scene.tiles()[t].id == id) index_ = t;
  }

  std::string text() {
    const arch::note::Launched* const launch = index_ == Scene::kNobody ? nullptr : scene_.tiles()[index_].launch;
    std::map<uint32_t, Buffer> known;
    for (const Buffer& buffer : launch != nullptr ? launch->circular_buffers : buffers_in_l1(tile_.view().l1))
      known.emplace(buffer.id, buffer);
    std::string out;
    for (uint32_t id = 0; id < layout_.circular_buffers; ++id) {
      const auto found = known.find(id);
      out += paragraph(id, found == known.end() ? nullptr : &found->second);
    }
    return out.empty() ? fmt::format("{} has no circular buffers now.\n", scene_.places().text(id_)) : out;
  }

 private:
  std::string paragraph(uint32_t id, const Buffer* buffer) {
    const auto stream = static_cast<int>(layout_.first_cb_stream + id);
    const uint32_t pushed = stream_register(tile_, stream, arch::stream::kRemoteDestBufSize) & 0xFFFF;
    const uint32_t popped = stream_register(tile_, stream, arch::stream::kRemoteDestBufStart) & 0xFFFF;
    if (buffer == nullptr && pushed == 0 && popped == 0) return {};
    const uint32_t held = (pushed - popped) & 0xFFFF;
    std::string out = fmt::format("circular buffer {}: ", id);
    if (buffer != nullptr)
      out += fmt::format("{} x {} bytes from L1 {:#x} on; holds {} of {}", buffer->pages, buffer->page_bytes,
                         buffer->address, held, buffer->pages);
    else
      out += fmt::format("size not known; holds {}", held);
    out += fmt::format("; pushed {}, popped {}\n", pushed, popped);
    if (buffer != nullptr) out += pointers(*buffer);
    for (size_t a = 0; a < scene_.agents().size(); ++a) {
      if (scene_.agents()[a].tile != index_) continue;
      for (const Want& want : wants_of(scene_, a)) {
        const bool is_it = want.thing.kind == Thing::Kind::Pushed || want.thing.kind == Thing::Kind::Popped;
        if (is_it && want.thing.tile == index_ && want.thing.index == id)
          out += fmt::format("  {} {}\n", scene_.name(scene_.agents()[a]), sentence(scene_, want));
      }
    }
    return out;
  }

  // Each hart has its own record, in its local memory; one that neither pushes nor pops leaves it as firmware made it.
  std::string pointers(const Buffer& buffer) {
    std::string write, read;
    const emu::TileView view = tile_.view();
    for (size_t h = 0; h < arch::kHarts; ++h) {
      const auto hart = static_cast<arch::Hart>(h);
      const uint32_t table = arch::kernel_abi(layout_, hart).cb_interface;
      if (table == 0) continue;
      const auto record =
          at<arch::CbInterface>(view.local_memory[h], table - arch::kLdmBase + sizeof(arch::CbInterface) * buffer.id);
      const bool is_dataflow = hart == arch::Hart::Brisc || hart == arch::Hart::Ncrisc;
      const uint64_t unit = is_dataflow ? 1 : 16;
      if (!record || record->fifo_size * unit != buffer.bytes ||
          record->fifo_limit * unit != uint64_t{buffer.address} + buffer.bytes)
        continue;
      const auto add = [&](std::string& to, uint32_t pointer) {
        const uint64_t address = pointer * unit;
        if (address == buffer.address || address - buffer.address >= buffer.bytes) return;
        to += fmt::format("{}{:#x} ({})", to.empty() ? "" : ", ", address, arch::kHartNames[h]);
      };
      if (is_dataflow || hart == arch::Hart::Trisc2) add(write, record->fifo_wr_ptr);
      if (is_dataflow || hart == arch::Hart::Trisc0) add(read, record->fifo_rd_ptr);
    }
    const std::string begin = fmt::format("{:#x}", buffer.address);
    return fmt::format("  next page written to {}, read from {}\n", write.empty() ? begin : write,
                       read.empty() ? begin : read);
  }

  const Scene& scene_;
  const emu::TileId id_;
  emu::Tile& tile_;
  const arch::FirmwareLayout layout_;
  size_t index_ = Scene::kNobody;
};

}  // namespace

std::string buffers(emu::Machine& machine, const arch::HangQuestion& question, emu::TileId tile) {
  if (tile.y() == 1) return "Ethernet tiles have no circular buffers.\n";
  const Scene scene(machine, question);
  return Buffers(machine, scene, tile).text();
}

}  // namespace kerr::hang
