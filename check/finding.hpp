// What the checker has found: values, as it hands them to check/report.   docs/architecture.md "Checking"
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check/annotation.hpp"
#include "emu/agent.hpp"
#include "emu/cycle.hpp"

namespace kerr::check {

using emu::Cycle;
using emu::TileId;

enum class Level : uint8_t { Error, Warning, Hint };

constexpr std::string_view name(Level level) {
  constexpr std::string_view names[] = {"error", "warning", "hint"};
  return names[static_cast<size_t>(level)];
}

/// One for each row of check/rules.def, in its order.
enum class Rule : uint8_t {
#define X(rule, ...) rule,
#include "check/rules.def"
};

/// A row of check/rules.def.
struct RuleText {
  Rule rule{};
  std::string_view name;  // "cb-incomplete": in reports, suppressions and tests
  Level level{};
  std::string_view meaning;  // one sentence
  std::string_view cause;    // what usually is behind it
  std::string_view mend;     // how it is mended
};

std::span<const RuleText> rules();
const RuleText& text_of(Rule rule);
inline std::string_view name(Rule rule) { return text_of(rule).name; }
/// Nothing for a name that no rule has.
std::optional<Rule> rule_named(std::string_view name);

/// Whether a rule asks what is ordered before what: not of --check=memory.
bool needs_order(Rule rule);

/// What stands behind an edge.   check/edges.def
enum class Tier : uint8_t {
  Promised,  // a document promises it
  Relied,    // stock software relies on it and silicon was seen to hold it
};

constexpr std::string_view name(Tier tier) { return tier == Tier::Promised ? "promised" : "relied on"; }

/// One for each row of check/edges.def, in its order.
enum class Edge : uint8_t {
#define X(edge, ...) edge,
#include "check/edges.def"
};

/// A row of check/edges.def.
struct EdgeText {
  Edge edge{};
  std::string_view name;
  Tier tier{};
  std::string_view citation;
  std::string_view sentence;
};

std::span<const EdgeText> edges();
const EdgeText& text_of(Edge edge);

/// The memory, or what else, that two accesses have in common.
enum class Space : uint8_t {
  L1,
  Dram,  // the object's tile is one of the bank's, the address is in the bank
  HostMemory,
  Register,   // of a tile; the address is the one that harts use
  Counter,    // of an NIU
  Buffer,     // a circular buffer; the address is its index
  Dst,        // rows as they are stored; address and bytes count rows
  Source,     // a bank of SrcA (0, 1) or SrcB (2, 3)
  Semaphore,  // of the coprocessor
  Config,     // a configuration word of the coprocessor
  None,
};

constexpr std::string_view name(Space space) {
  constexpr std::string_view names[] = {
      "L1",  "DRAM",        "host memory", "register",      "counter", "circular buffer",
      "Dst", "source bank", "semaphore",   "configuration", ""};
  return names[static_cast<size_t>(space)];
}

/// What a finding is about.
struct Object {
  Space space = Space::None;
  TileId tile;
  uint64_t address = 0;
  uint64_t bytes = 0;
  std::string name{};  // "CB 0 page 3", "buffer 'weights' page 12"; empty: nobody named it
};

/// A function that a pc is in, innermost first; empty and 0 where the image does not tell.
struct Frame {
  std::string function{};
  uint32_t offset = 0;
  std::string file{};
  uint32_t line = 0;
  friend auto operator<=>(const Frame&, const Frame&) = default;
};

/// One of the two accesses of a finding.
struct Site {
  enum class Who : uint8_t { Hart, Thread, Unpacker, Packer, Mover, Transfer, Host };

  std::string_view op{};  // "write", "read", "atomic", "push", "pop", "store", "barrier": a literal
  Who who = Who::Host;
  TileId tile;                          // of the hart, or of the one that requested the transfer
  emu::Agent agent = emu::Agent::Host;  // the hart; the thread of a unit; the hart that requested the transfer
  std::string lane{};                   // "unpacker 0", "NoC 0 read, request 118": of units and transfers
  Cycle cycle = 0;
  std::optional<uint32_t> pc{};        // of the hart's instruction; of the push of a thread's word
  emu::Agent hart = emu::Agent::Host;  // whose pc it is
  uint32_t word = 0;                   // the instruction; of a thread the Tensix word; 0: not known
  std::string kernel{};                // the image that pc is in, if its name is known
  std::vector<Frame> frames{};         // of pc; by the image's line table
  std::vector<std::string>
      detail{};            // "read of 2048 bytes, id 3": neither who does it nor where, which are above and below
  Object where{};          // what it reads or writes, if that is not the finding's object alone
  Object remote{};         // of a transfer: the bytes at the other end than the one who requested it
  bool to_remote = false;  // likewise: they are written
};

/// What would order the two, or mend the finding otherwise.
struct Mend {
  std::string text{};     // empty: none known
  bool verified = false;  // the model accepts the program with it
};

/// What the defect did in this run.
enum class Outcome : uint8_t {
  Latent,   // the second access came after the first had taken effect
  Harmful,  // a read returned bytes that changed later, or an update was lost
  Unknown,
};

constexpr std::string_view name(Outcome outcome) {
  constexpr std::string_view names[] = {"latent", "harmful", "unknown"};
  return names[static_cast<size_t>(outcome)];
}

struct Finding {
  Rule rule{};
  std::string what{};  // one sentence without the rule's name: "CB 0 page 3: pushed while a read into it is under way"
  Object object{};
  std::optional<Site> first{};  // rules about one access have `then` only
  Site then{};
  std::vector<std::string> order{};  // why nothing orders the two, or which wait was too early or of another kind
  Mend mend{};
  Outcome outcome = Outcome::Unknown;
  std::string outcome_text{};  // "the data came 388 cycles after the push"; may be empty

  Cycle cycle = 0;  // of the second access: findings are sorted by (cycle, tile, agent, sequence)
  TileId tile;      // that found it
  emu::Agent agent = emu::Agent::Host;
  uint64_t sequence = 0;  // of that tile
  uint64_t count = 1;     // findings of the same two sites on this tile; this is the first
};

/// What the checker could not keep: silence must not be ignorance.
struct LostHistory {
  uint64_t readers = 0;    // dropped from a set of unordered readers
  uint64_t transfers = 0;  // whose record was taken for another too early
  uint64_t findings = 0;   // behind the limit of a tile
  uint64_t total() const { return readers + transfers + findings; }
};

/// All that a checker hands out.
struct Findings {
  std::vector<Finding> all;  // sorted; the same for any number of threads
  LostHistory lost;
  uint64_t accesses = 0;                    // that were checked
  std::vector<Annotation> unknown_symbols;  // annotations of symbols that no kernel had
};

}  // namespace kerr::check
