// Blackhole cards as Linux lists them, and what keeps this process from using each.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/device/card/system.hpp"
#include "host/device/pcie_device.hpp"

namespace kerr::host {

/// Why a card cannot be used, and what to do about it.
struct Problem {
  std::string what, advice;
};

/// Thrown while a card is opened: a DeviceError (HostError) of "<what>. <advice>".
class CardError : public DeviceError {
 public:
  explicit CardError(Problem problem)
      : DeviceError(Category::HostError, problem.what + ". " + problem.advice), problem_(std::move(problem)) {}
  const Problem& problem() const { return problem_; }

 private:
  Problem problem_;
};

/// Throws CardError; `error` is -errno, whose words follow `what`.
[[noreturn]] void refuse(const std::string& what, const std::string& advice);
[[noreturn]] void refuse(const std::string& what, int error, const std::string& advice);
/// The same if `result` is -errno.
void require(int result, const std::string& what, const std::string& advice);
inline constexpr const char* kSeeLog = "See the kernel's log ('dmesg').";

inline std::string pci_path(const std::string& bdf) { return "/sys/bus/pci/devices/" + bdf; }

/// What sysfs says about one card.
struct Card {
  std::string bdf;     // "0000:01:00.0"
  std::string driver;  // "vfio-pci", "tenstorrent", ...; empty: none
  std::optional<int> iommu_group;
  std::string iommu_type;  // "DMA", "DMA-FQ", "identity", ...
  std::string kmd_node;    // "/dev/tenstorrent/0", or empty
  std::string link;        // "32.0 GT/s PCIe x16", or empty
};

/// All functions 1e52:b140, by address. Their number in this list is their index.
std::vector<Card> find_cards(System& system);
/// By address ("0000:01:00.0") or index ("0"). Throws DeviceError (HostError) if there is no such card.
Card card_named(System& system, const std::string& name);
/// By way of the driver that is bound to the card. Throws CardError.
std::unique_ptr<PcieDevice> open_card(System& system, const Card& card);

/// Looks as far as is possible without disturbing anybody: nothing is bound, reset or held open afterwards.
/// Nothing: the card can be opened.
std::optional<Problem> problem_of(System& system, const Card& card);

}  // namespace kerr::host
