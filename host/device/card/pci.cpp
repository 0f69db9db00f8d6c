#include "host/device/card/pci.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "arch/pcie.hpp"
#include "host/device/card/kmd_device.hpp"
#include "host/device/card/vfio_device.hpp"

namespace kerr::host {
namespace {

constexpr const char* kDevices = "/sys/bus/pci/devices";

std::optional<uint32_t> hex(const std::optional<std::string>& text) {
  if (!text || !text->starts_with("0x")) return std::nullopt;
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text->data() + 2, text->data() + text->size(), value, 16);
  if (error != std::errc() || end != text->data() + text->size()) return std::nullopt;
  return value;
}

Card describe(System& system, const std::string& bdf) {
  const std::string path = pci_path(bdf);
  Card card{.bdf = bdf};
  card.driver = link_target(system, path + "/driver").value_or("");
  if (const auto group = link_target(system, path + "/iommu_group")) {
    int number = 0;
    if (std::from_chars(group->data(), group->data() + group->size(), number).ec == std::errc()) {
      card.iommu_group = number;
    }
  }
  card.iommu_type = read_text(system, path + "/iommu_group/type").value_or("");
  for (const std::string& node : system.list(path + "/tenstorrent")) {
    if (node.starts_with("tenstorrent!")) card.kmd_node = "/dev/tenstorrent/" + node.substr(node.find('!') + 1);
  }
  const auto speed = read_text(system, path + "/current_link_speed");
  const auto width = read_text(system, path + "/current_link_width");
  if (speed && width) card.link = fmt::format("{} x{}", *speed, *width);
  return card;
}

}  // namespace

void refuse(const std::string& what, const std::string& advice) { throw CardError({what, advice}); }

void refuse(const std::string& what, int error, const std::string& advice) {
  refuse(fmt::format("{} ({})", what, std::strerror(-error)), advice);
}

void require(int result, const std::string& what, const std::string& advice) {
  if (result < 0) refuse(what, result, advice);
}

std::vector<Card> find_cards(System& system) {
  std::vector<Card> cards;
  for (const std::string& bdf : system.list(kDevices)) {
    const std::string path = pci_path(bdf);
    if (hex(read_text(system, path + "/vendor")) != arch::pcie::kVendorId) continue;
    if (hex(read_text(system, path + "/device")) != arch::pcie::kDeviceId) continue;
    cards.push_back(describe(system, bdf));
  }
  return cards;
}

Card card_named(System& system, const std::string& name) {
  const std::vector<Card> cards = find_cards(system);
  std::string known;
  for (size_t i = 0; i < cards.size(); ++i) {
    if (name == cards[i].bdf || name == std::to_string(i)) return cards[i];
    known += (known.empty() ? "" : ", ") + cards[i].bdf;
  }
  if (cards.empty()) {
    host_error(fmt::format("there is no Blackhole card (PCI {:04x}:{:04x}) in this machine", arch::pcie::kVendorId,
                           arch::pcie::kDeviceId));
  }
  host_error(fmt::format("there is no Blackhole card '{}'; there are {}", name, known));
}

std::unique_ptr<PcieDevice> open_card(System& system, const Card& card) {
  if (card.driver == "vfio-pci") return std::make_unique<VfioDevice>(system, card);
  if (card.driver == "tenstorrent") return std::make_unique<KmdDevice>(system, card);
  throw CardError(
      problem_of(system, card).value_or(Problem{"no usable driver is bound to " + card.bdf, "See 'kerr devices'."}));
}

std::optional<Problem> problem_of(System& system, const Card& card) {
  const File config(system, system.open(pci_path(card.bdf) + "/config", O_RDONLY | O_CLOEXEC));
  uint32_t id = 0;
  if (config.is_open() && config.read(0, id) && id == ~uint32_t{0}) {
    return Problem{"the card answers nothing but ones: it is hung or has left the bus",
                   "Reset it with 'kerr reset --device " + card.bdf + "'; if that fails, power-cycle the machine."};
  }
  try {
    if (card.driver == "vfio-pci") return VfioDevice::check(system, card), std::nullopt;
    if (card.driver == "tenstorrent") return KmdDevice::check(system, card), std::nullopt;
  } catch (const CardError& error) {
    return error.problem();
  }
  const std::string bind = fmt::format(
      "Load tt-kmd ('modprobe tenstorrent'), or bind vfio-pci: 'modprobe vfio-pci', then as root write vfio-pci to "
      "{0}/driver_override and {1} to /sys/bus/pci/drivers_probe.",
      pci_path(card.bdf), card.bdf);
  if (card.driver.empty()) return Problem{"no driver is bound to the card", bind};
  return Problem{fmt::format("the driver '{}' is bound to the card; it must be vfio-pci or tenstorrent", card.driver),
                 fmt::format("Write {} to {}/driver/unbind. {}", card.bdf, pci_path(card.bdf), bind)};
}

}  // namespace kerr::host
