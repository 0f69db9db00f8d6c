#include "debug/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "debug/hex.hpp"
#include "debug/threads.hpp"

namespace kerr::debug {

namespace {

constexpr std::string_view kError = "E01";

// An action of vCont.
bool steps(std::string_view action) {
  return !action.empty() && (action.front() == 's' || action.front() == 'S' || action.front() == 'r');
}

constexpr std::string_view kBackwards = ";ReverseStep+;ReverseContinue+";
constexpr std::string_view kFeatures =
    "PacketSize=4000;QStartNoAckMode+;multiprocess+;vContSupported+;swbreak+;hwbreak+;ConditionalBreakpoints+;"
    "qXfer:features:read+;qXfer:threads:read+;qXfer:libraries:read+;qXfer:exec-file:read+;qXfer:osdata:read+";

}  // namespace

Pid Session::current() const {
  if (attached_.contains(current_)) return current_;
  if (attached_.contains(latest_)) return latest_;
  return attached_.empty() ? 0 : attached_.begin()->first;
}

std::vector<std::string> Session::handle(std::string_view packet) {
  console_.clear();
  std::optional<std::string> reply = answer(packet);
  Replies replies = std::move(console_);
  console_.clear();
  if (reply) replies.push_back(std::move(*reply));
  return replies;
}

std::optional<std::string> Session::answer(std::string_view packet) {
  if (packet.empty()) return "";
  std::string_view rest = packet.substr(1);
  switch (packet.front()) {
    case '!': return "OK";
    case '?': return attached_.empty() ? "W00" : last_stop_;
    case 'q': return query(packet);
    case 'Q':
      if (packet == "QStartNoAckMode") return acknowledges_ = false, "OK";
      if (packet == "QNonStop:0") return "OK";
      if (packet == "QNonStop:1") return "E.Kerr stops all harts together: set non-stop off.";
      return "";
    case 'H': return set_thread(rest);
    case 'T': {
      const auto thread = thread_in(rest);
      return thread && attached_.contains(thread->pid) ? "OK" : std::string(kError);
    }
    case 'g': return registers();
    case 'G': return write_registers(rest);
    case 'p': return one_register(rest);
    case 'P': return write_one_register(rest);
    case 'm': return read_memory(rest);
    case 'M': return write_memory(rest, false);
    case 'X': return write_memory(rest, true);
    case 'Z': return change_point(rest, true);
    case 'z': return change_point(rest, false);
    case 'c':
    case 's': return resume_simply(packet.front(), rest);
    case 'b':
      if (packet == "bs") return resume_backwards(Way::StepBack);
      if (packet == "bc") return resume_backwards(Way::ContinueBack);
      return "";
    case 'k': return detach_all(), std::nullopt;
    case 'D': return detach(rest);
    case 'v':
      if (packet == "vCont?") return "vCont;c;C;s;S;r;t";
      if (take_prefix(packet, "vCont;")) return resume(packet);
      if (take_prefix(packet, "vAttach;")) return attach(packet);
      if (take_prefix(packet, "vKill;")) return detach(fmt::format(";{}", packet));
      if (take_prefix(packet, "vFile:")) return files(packet);
      return "";
    default: return "";
  }
}

std::optional<std::string> Session::query(std::string_view packet) {
  if (packet.starts_with("qSupported")) {
    knows_swbreak_ = packet.find("swbreak+") != std::string_view::npos;
    return fmt::format("{}{}", kFeatures, target_.is_recorded() ? kBackwards : "");
  }
  if (packet == "qC") return current() != 0 ? "QC" + thread_name(current()) : "";
  if (packet == "qfThreadInfo") {
    std::string list;
    for (const auto& [pid, attached] : attached_) list += (list.empty() ? "m" : ",") + thread_name(pid);
    return list.empty() ? "l" : list;
  }
  if (packet == "qsThreadInfo") return "l";
  if (packet.starts_with("qAttached")) return "1";
  if (packet.starts_with("qSymbol")) return "OK";
  if (take_prefix(packet, "qThreadExtraInfo,")) {
    const auto thread = thread_in(packet);
    return thread && target_.exists(thread->pid) ? hex_of(target_.name(thread->pid)) : std::string(kError);
  }
  if (take_prefix(packet, "qCRC:")) return checksum(packet);
  if (take_prefix(packet, "qXfer:")) return transfer(packet);
  if (take_prefix(packet, "qRcmd,")) {
    Replies lines = monitor(packet);
    std::string last = std::move(lines.back());
    lines.pop_back();
    console_ = std::move(lines);
    return last;
  }
  return "";
}

// OBJECT:read:ANNEX:OFFSET,LENGTH
std::string Session::transfer(std::string_view rest) {
  const std::string_view object = take_until(rest, ':');
  if (take_until(rest, ':') != "read") return "";
  const std::string_view annex = take_until(rest, ':');
  const auto offset = number_in(take_until(rest, ','));
  const auto length = number_in(rest);
  if (!offset || !length) return std::string(kError);
  std::string document;
  if (object == "features") {
    if (annex != "target.xml" || current() == 0) return "E00";
    document = target_description(target_.register_set(current()));
  } else if (object == "osdata") {
    document = osdata(annex, target_);
  } else if (object == "threads") {
    std::vector<Pid> pids;
    for (const auto& [pid, attached] : attached_) pids.push_back(pid);
    document = thread_list(pids, target_);
  } else if (object == "libraries") {
    document = library_list(target_.libraries(current()));
  } else if (object == "exec-file") {
    document = target_.program();
  } else {
    return "";
  }
  if (*offset >= document.size()) return "l";
  constexpr uint64_t kMost = 0x1800;  // each byte may be escaped
  const std::string part = document.substr(*offset, std::min(*length, kMost));
  return (*offset + part.size() < document.size() ? "m" : "l") + part;
}

std::string Session::set_thread(std::string_view rest) {
  if (rest.empty()) return std::string(kError);
  const bool of_others = rest.front() == 'g';
  const auto thread = thread_in(rest.substr(1));
  if (!thread) return std::string(kError);
  const bool any = thread->pid == 0 || thread->pid == kAll;
  if (!any && !attached_.contains(thread->pid)) return std::string(kError);
  if (of_others) current_ = any ? 0 : thread->pid;
  return "OK";
}

std::string Session::attach(std::string_view digits) {
  const auto pid = word_in(digits);
  if (!pid || !target_.exists(*pid)) return std::string(kError);
  attached_.try_emplace(*pid);
  target_.attach(*pid);
  current_ = latest_ = *pid;
  runs_ = false;
  return last_stop_ = stop_reply(*pid, Signal::Trap, "");
}

std::string Session::detach(std::string_view rest) {
  if (rest.empty()) return detach_all(), "OK";
  const auto pid = word_in(rest.substr(1));
  if (!pid || !attached_.contains(*pid)) return std::string(kError);
  let_go(*pid);
  return "OK";
}

void Session::detach_all() {
  while (!attached_.empty()) let_go(attached_.begin()->first);
}

void Session::let_go(Pid pid) {
  attached_.erase(pid);
  target_.step(pid, false);
  target_.set_breakpoints(pid, {});
  target_.set_watches(pid, {});
  if (!attached_.empty()) return;
  begun_ = true;
  runs_ = false;
}

// --- stops -----------------------------------------------------------------------------------------------------------

std::string Session::stop_reply(Pid pid, Signal signal, std::string_view why) {
  return fmt::format("T{:02x}thread:{};{}", static_cast<unsigned>(signal), thread_name(pid), why);
}

std::optional<std::string> Session::stopped(Pid pid, Signal signal, bool at_breakpoint) {
  const auto found = attached_.find(pid);
  if (found == attached_.end()) return std::nullopt;
  Attached& process = found->second;
  const uint32_t pc = target_.pc(pid);
  std::string why;
  if (at_breakpoint) {
    if (!breaks_at(pid, pc)) return std::nullopt;
    if (process.breakpoints.at(pc).hardware) {
      why = "hwbreak:;";
    } else if (knows_swbreak_) {
      why = "swbreak:;";
    }
  } else if (signal == Signal::Trap && process.range && pc >= process.range->first && pc < process.range->second) {
    target_.step(pid, true);
    return std::nullopt;
  }
  return stop(pid, signal, why);
}

std::string Session::touched(Pid pid, uint32_t address, bool is_read) {
  const Target::Watch* const watch = watch_at(pid, address, is_read);
  const bool both = watch != nullptr && watch->reads && watch->writes;
  std::string reply = stop(pid, Signal::Trap, fmt::format("{}watch:{:x};", both ? "a" : is_read ? "r" : "", address));
  touch_told_ = TouchTold{pid, address};
  return reply;
}

std::string Session::at_end_of_time(bool is_begin) {
  return stop(current(), Signal::Trap, is_begin ? "replaylog:begin;" : "replaylog:end;");
}

bool Session::breaks_at(Pid pid, uint32_t pc) {
  const auto process = attached_.find(pid);
  if (process == attached_.end()) return false;
  const auto found = process->second.breakpoints.find(pc);
  return found != process->second.breakpoints.end() && !found->second.removed && condition_holds(pid, found->second);
}

std::string Session::stop(Pid pid, Signal signal, std::string_view why) {
  for (auto& [other, attached] : attached_) {
    attached.range.reset();
    target_.step(other, false);
  }
  runs_ = false;
  touch_told_.reset();
  passed_touch_ = false;
  current_ = latest_ = pid;
  return last_stop_ = stop_reply(pid, signal, why);
}

const Target::Watch* Session::watch_at(Pid pid, uint32_t address, bool is_read) const {
  const auto process = attached_.find(pid);
  if (process == attached_.end()) return nullptr;
  const auto found = std::ranges::find_if(process->second.watches, [&](const Target::Watch& watch) {
    return address - watch.address < watch.bytes && (is_read ? watch.reads : watch.writes);
  });
  return found == process->second.watches.end() ? nullptr : &*found;
}

std::optional<Pid> Session::watcher(const std::function<bool(Pid)>& can_see_it, uint32_t address, bool is_read) const {
  for (const Pid pid : std::views::keys(attached_))
    if (watch_at(pid, address, is_read) != nullptr && can_see_it(pid)) return pid;
  return std::nullopt;
}

std::vector<std::string> Session::ended(unsigned status) {
  Replies replies;
  for (const auto& [pid, attached] : attached_)
    replies.push_back(fmt::format("W{:02x};process:{:x}", status & 0xFF, pid));
  detach_all();
  return replies;
}

// --- resuming --------------------------------------------------------------------------------------------------------

// ACTION[:THREAD];... : of each process the first that names it.
std::optional<std::string> Session::resume(std::string_view actions) {
  if (attached_.empty()) return std::string(kError);
  std::map<Pid, std::string> chosen;
  bool continues = false;
  while (!actions.empty()) {
    std::string_view action = take_until(actions, ';');
    const std::string_view what = take_until(action, ':');
    const auto thread = action.empty() ? std::optional(Thread{kAll, kAll}) : thread_in(action);
    if (!thread || what.empty() || std::string_view("cCsSrt").find(what.front()) == std::string_view::npos)
      return std::string(kError);
    continues = continues || what.front() == 'c' || what.front() == 'C';
    for (const Pid pid : std::views::keys(attached_)) {
      if (thread->pid == kAll || thread->pid == 0 || thread->pid == pid) chosen.try_emplace(pid, what);
    }
  }
  if (const auto told = std::exchange(touch_told_, std::nullopt);
      told && told->taken_away && steps(chosen[told->pid])) {
    std::string reply = stop(told->pid, Signal::Trap, "");
    passed_touch_ = true;
    return reply;
  }
  for (auto& [pid, attached] : attached_) {
    attached.range.reset();
    const auto action = chosen.find(pid);
    std::string_view what = action == chosen.end() ? "" : std::string_view(action->second);
    const bool is_step = steps(what);
    if (take_prefix(what, "r")) {
      const auto begin = word_in(take_until(what, ','));
      const auto end = word_in(what);
      if (!begin || !end) return std::string(kError);
      attached.range = {*begin, *end};
    }
    target_.step(pid, is_step);
    // A client takes its breakpoints away to step over one of them: other processes keep them meanwhile.
    if (continues || is_step) {
      if (continues) std::erase_if(attached.breakpoints, [](const auto& entry) { return entry.second.removed; });
      apply_breakpoints(pid);
    }
  }
  continues_ = std::ranges::none_of(chosen, [](const auto& action) { return steps(action.second); });
  return go(Way::Forward), std::nullopt;
}

// Breakpoints that the client has taken away for this stay away.
std::optional<std::string> Session::resume_backwards(Way way) {
  if (!target_.is_recorded()) return "";
  if (attached_.empty()) return std::string(kError);
  touch_told_.reset();
  for (auto& [pid, attached] : attached_) {
    attached.range.reset();
    target_.step(pid, false);
    if (way == Way::StepBack) continue;
    std::erase_if(attached.breakpoints, [](const auto& entry) { return entry.second.removed; });
    apply_breakpoints(pid);
  }
  continues_ = way == Way::ContinueBack;
  return go(way), std::nullopt;
}

std::optional<std::string> Session::resume_simply(char action, std::string_view address) {
  const Pid pid = current();
  if (pid == 0) return std::string(kError);
  if (!address.empty()) {
    const auto pc = word_in(address);
    if (!pc || !target_.write_register(pid, kPcRegister, {&*pc, 1}).empty()) return std::string(kError);
  }
  return resume(action == 's' ? fmt::format("s:{};c", thread_name(pid)) : "c");
}

void Session::go(Way way) {
  runs_ = begun_ = true;
  way_ = way;
}

// --- breakpoints and watchpoints -------------------------------------------------------------------------------------

// TYPE,ADDRESS,KIND[;CONDITIONS]
std::string Session::change_point(std::string_view rest, bool inserts) {
  const std::string_view type = take_until(rest, ',');
  const auto address = word_in(take_until(rest, ','));
  const auto kind = word_in(take_until(rest, ';'));
  if (!address || !kind || type.size() != 1) return std::string(kError);
  if (attached_.empty()) return std::string(kError);
  if (type == "0" || type == "1") return change_breakpoint(*address, type == "1", rest, inserts);
  if (type != "2" && type != "3" && type != "4") return "";
  return change_watch({.address = *address, .bytes = *kind, .reads = type != "2", .writes = type != "3"}, inserts);
}

std::string Session::change_watch(const Target::Watch& watch, bool inserts) {
  Attached& process = attached_.at(current());
  const bool is_told =
      touch_told_ && touch_told_->pid == current() && touch_told_->address - watch.address < watch.bytes;
  if (inserts) {
    constexpr size_t kMost = 64;
    if (process.watches.size() >= kMost || !target_.can_watch(current(), watch)) return std::string(kError);
    process.watches.push_back(watch);
    if (is_told) touch_told_->taken_away = false;  // a step with it in its place is the client's
  } else {
    const auto found = std::ranges::find(process.watches, watch);
    if (found == process.watches.end()) return std::string(kError);
    process.watches.erase(found);
    if (is_told) touch_told_->taken_away = true;
  }
  target_.set_watches(current(), process.watches);
  return "OK";
}

std::string Session::change_breakpoint(uint32_t address, bool hardware, std::string_view conditions, bool inserts) {
  Attached& process = attached_.at(current());
  if (!inserts) {
    const auto found = process.breakpoints.find(address);
    if (found == process.breakpoints.end()) return std::string(kError);
    found->second.removed = true;
    return "OK";
  }
  constexpr size_t kMost = 4096;
  if (address % 4 != 0 || process.breakpoints.size() >= kMost) return std::string(kError);
  Breakpoint breakpoint{.hardware = hardware};
  while (take_prefix(conditions, "X")) {
    const auto length = word_in(take_until(conditions, ','));
    if (!length || *length > conditions.size() / 2) return std::string(kError);
    const auto code = bytes_in(conditions.substr(0, 2 * *length));
    if (!code) return std::string(kError);
    breakpoint.conditions.emplace_back(code->begin(), code->end());
    conditions.remove_prefix(2 * *length);
    take_prefix(conditions, ";");
  }
  process.breakpoints[address] = std::move(breakpoint);
  apply_breakpoints(current());
  return "OK";
}

void Session::apply_breakpoints(Pid pid) {
  std::vector<uint32_t> addresses;
  for (const auto& [address, breakpoint] : attached_.at(pid).breakpoints) addresses.push_back(address);
  target_.set_breakpoints(pid, std::move(addresses));
}

}  // namespace kerr::debug
