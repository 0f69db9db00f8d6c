// Why nothing moves, as a person reads it.   docs/architecture.md "Hangs", docs/guide/when-it-hangs.md
#pragma once

#include <string>
#include <vector>

#include "arch/hang_question.hpp"
#include "check/finding.hpp"
#include "emu/machine/machine.hpp"
#include "hang/history.hpp"
#include "hang/last_steps.hpp"
#include "hang/livelock.hpp"
#include "hang/past.hpp"

namespace kerr::hang {

inline constexpr size_t kMostLines = 40;

/// At most kMostLines lines. Who is to blame first, with what it waits for and why that never comes; then what each
/// agent of the question's unfinished cores waits for, and who should bring it, equal cores together; then what who is
/// to blame did last: by `history`, or without one the last requests of its tile. Empty if nobody waits. Looks at the
/// machine, between windows, and changes no state of it. The same text for any number of threads.
/// Of a machine that still runs: whether it does so for ever (livelock.hpp) or, if that is not proved, by `last` what
/// it did last. `host_acts`: something of the host's is under way to the device.
std::string report(emu::Machine& machine, const arch::HangQuestion& question, const History* history = nullptr,
                   const LastSteps* last = nullptr, bool host_acts = false);
/// The same of a machine that runs, of which the caller has asked already whether it does so for ever.
std::string report(emu::Machine& machine, const arch::HangQuestion& question, const Livelock& livelock,
                   const History* history = nullptr, const LastSteps* last = nullptr);

/// What a hart waits for, or the coprocessor thread that it feeds, who should bring that, whom that one waits for in
/// turn, and who is to blame: lines of the report. For moments at which the rest may well go on.
/// `whole`: time stands between two windows. Else nobody is blamed, since what is under way is not known.
std::string why(emu::Machine& machine, const arch::HangQuestion& question, emu::TileId tile, arch::Hart hart,
                bool whole, const History* history = nullptr);

/// What a hart did last, at most `most`, newest last: waits that ended, what it changed that others wait for, packets.
std::vector<Event> events(emu::Machine& machine, const arch::HangQuestion& question, const History& history,
                          emu::TileId tile, arch::Hart hart, size_t most);

/// What each command buffer of a tile was last used for, a line each.
std::string requests(emu::Machine& machine, const arch::HangQuestion& question, emu::TileId tile);

/// A line about the errors that the checker has found before: a hang is often the consequence of one. Empty if there is
/// none.
std::string earlier_errors(const check::Findings& found);

}  // namespace kerr::hang
