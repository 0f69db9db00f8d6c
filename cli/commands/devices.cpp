#include "cli/commands/devices.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "arch/boards.hpp"
#include "cli/commands/commands.hpp"
#include "cli/version.hpp"
#include "host/device/card/pci.hpp"
#include "report/json.hpp"

namespace kerr::cli {

namespace {

struct Listed {
  host::Card card;
  std::optional<host::Problem> problem;
};

std::vector<std::string> board_names() {
  std::vector<std::string> names;
  for (const arch::Board& board : arch::kBoards) names.emplace_back(board.name);
  return names;
}

void print_text(const std::vector<Listed>& cards) {
  fmt::print("emulated      {:28} --board NAME\n", fmt::format("{}", fmt::join(board_names(), ", ")));
  for (size_t i = 0; i < cards.size(); ++i) {
    const auto& [card, problem] = cards[i];
    fmt::print("{}  {:28} {}\n", card.bdf,
               fmt::format("Blackhole, {}", card.driver.empty() ? "no driver" : card.driver),
               problem ? "cannot be used" : fmt::format("--device {}", i));
    if (!card.link.empty()) fmt::print("              {}\n", card.link);
    if (card.iommu_group) {
      fmt::print("              IOMMU group {}{}\n", *card.iommu_group,
                 card.iommu_type.empty() ? "" : fmt::format(", type {}", card.iommu_type));
    }
    if (problem) fmt::print("              why: {}\n              do:  {}\n", problem->what, problem->advice);
  }
  if (cards.empty()) fmt::print("no Blackhole card (PCI 1e52:b140) in this machine\n");
}

void print_json(const std::vector<Listed>& cards) {
  report::Json list = report::Json::array();
  for (const auto& [card, problem] : cards) {
    report::Json entry = {
        {"address", card.bdf},
        {"driver", card.driver},
        {"iommu_group", card.iommu_group ? report::Json(*card.iommu_group) : report::Json()},
        {"iommu_type", card.iommu_type},
        {"link", card.link},
        {"usable", !problem.has_value()},
    };
    if (problem) {
      entry["problem"] = problem->what;
      entry["advice"] = problem->advice;
    }
    list.push_back(std::move(entry));
  }
  write_json({{"emulated", board_names()}, {"cards", list}});
}

}  // namespace

int list_devices(host::System& system, bool json) {
  std::vector<Listed> cards;
  for (host::Card& card : host::find_cards(system)) {
    std::optional<host::Problem> problem = host::problem_of(system, card);
    cards.push_back({std::move(card), std::move(problem)});
  }
  json ? print_json(cards) : print_text(cards);
  return 0;
}

namespace {

class Devices final : public Command {
  void declare(Syntax& syntax) override {
    syntax.flag("--json", json_, "print the list as JSON");
    syntax.footer("Nothing is changed or disturbed.\nExamples:\n  kerr devices\n  kerr smi --device 0");
  }

  int run() override { return list_devices(host::linux_system(), json_); }
};

}  // namespace

std::unique_ptr<Command> make_devices() { return std::make_unique<Devices>(); }

}  // namespace kerr::cli
