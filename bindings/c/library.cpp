// Functions that need no device: the version, memory that was handed out, the list of devices.

#include "arch/boards.hpp"
#include "bindings/c/api.hpp"
#include "bindings/c/memory.hpp"
#include "host/device/card/pci.hpp"
#include "loops/blob.hpp"
#include "report/json.hpp"

namespace kerr::c {

namespace {

report::Json devices() {
  report::Json emulated = report::Json::array(), cards = emulated;
  for (const arch::Board& board : arch::kBoards) emulated.push_back(board.name);
  host::System& system = host::linux_system();
  for (const host::Card& card : host::find_cards(system)) {
    const std::optional<host::Problem> problem = host::problem_of(system, card);
    report::Json entry = {
        {"address", card.bdf}, {"driver", card.driver}, {"link", card.link}, {"usable", !problem.has_value()}};
    if (problem) {
      entry["problem"] = problem->what;
      entry["advice"] = problem->advice;
    }
    cards.push_back(std::move(entry));
  }
  return {{"emulated", emulated}, {"cards", cards}};
}

}  // namespace

}  // namespace kerr::c

using namespace kerr::c;

const char* kerr_version(int* abi) {
  if (abi != nullptr) *abi = KERR_ABI;
  return kerr::loops::library_version().data();
}

const char* kerr_category_name(int category) { return name_of(category); }

int kerr_free(void* memory) { return memory == nullptr || take_back(memory) ? KERR_OK : KERR_INVALID_ARGUMENT; }

int kerr_devices(char** json, kerr_error* error) {
  return answer(error, [&] {
    require(json, "kerr_devices()", "json");
    *json = hand_out(devices().dump(-1));
  });
}
