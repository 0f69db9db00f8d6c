// No class has state that no snapshot holds.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "tests/emu/machine/host.hpp"
#include "tests/emu/machine/members.hpp"

namespace kerr::emu {
namespace {

using Names = std::set<std::string>;

// What was said when the object was made, or before the first run: options, neighbours, memory of its own.
const Names kGiven = {
    "Agents::coprocessor_",
    "Agents::harts_",
    "Agents::pic_",
    "Chip::debugger_",
    "ConfigSpace::BarRegister::bytes",
    "Coprocessor::row_counters",  // references and a pointer
    "CoprocessorTimer::p_",
    "DramBank::enabled_",
    "ExactFabric::observer_",
    "Fpu::due_",
    "FrontEnd::thread_",
    "HartCode::caching",
    "HartPort::observer",
    "HartPort::prints",
    "HartTimer::p_",
    "L1::checked_",
    "L1::listener_",
    "ObservedTile::observer_",
    "PollWatch::hart_",
    "Sfpu::kernels_",
    "SrcRegister::what_",
    "TileTable::stood_in_",
    "TlbWindows::chip_",
    "WaitGate::thread_",
};

// Made again from state when it is needed, or given to serialize() piece by piece.
const Names kDerived = {
    "Chip::now",
    "DramBank::lending_",
    "ExactFabric::Output::heads",
    "ExactFabric::Output::next",
    "ExactFabric::Output::since",
    "ExactFabric::Output::until",
    "ExactFabric::Output::waited",
    "ExactFabric::Output::wants",
    "ExactFabric::asked_",
    "ExactFabric::next_exit_",
    "ExactFabric::next_link_",
    "ExactFabric::next_reservation_",
    "Fpu::settings_",
    "Hart::debugged_",
    "Hart::listens_",
    "InstructionCache::last_",
    "InstructionCache::last_index_",
    "L1::pages_",
    "LaneConfig::block_dest_read",
    "LaneConfig::block_dest_write",
    "LaneConfig::blocked_move_columns",
    "LaneConfig::capture_default_dest_index",
    "LaneConfig::dest_read_exchange",
    "LaneConfig::dest_write_exchange",
    "LaneConfig::disable_backdoor_load",
    "LaneConfig::enable_dest_index",
    "LaneConfig::exchange_b_c",
    "LaneConfig::fp16a_inf",
    "LaneConfig::rows_masked",
    "Packer::counts_exponents_",
    "Packer::settings_",
    "Packer::settings_bank_",
    "Packer::settings_known_",
    "Packer::settings_version_",
    "Packer::settings_words_",
    "Payload::block_",
    "Sfpu::settings_",
    "SparseMemory::parts_",
    "State::pages",
    "Tile::code_",
    "TileTable::awake_",
    "TileTable::changed_",
    "TileTable::is_changed_",
    "TileTable::next_events_",
    "TileTable::now_",
    "TileTable::tiles_",
    "TlbWindows::Window::entry",
};

// They belong to one instruction, packet or window, which has ended whenever somebody saves.
const Names kPassing = {
    "Agents::current_",
    "Agents::limit_",
    "Coprocessor::executed",
    "Coprocessor::tolerance",
    "Coprocessor::touched",
    "Coprocessor::footprint",
    "ExactFabric::tree_",
    "Hart::limit_",
    "HartPort::late",
    "Niu::issuing_",
    "Coprocessor::observed_cycle",
    "Niu::receivers_",
    "Sfpu::before_",
    "Sfpu::in_macro_cycle_",
    "Sfpu::mad_new_",
    "Sfpu::result_new_",
    "Sfpu::scheduled_",
};

// What a debugger has asked for: it asks again (Debugger::chip_made).
const Names kOfDebuggers = {"Agents::stops_", "Agents::tells_", "Hart::stops_", "HartPort::at_stop", "Tile::stops_"};

// For observers only: a restored machine does not know them of what was on its way.
const Names kForObservers = {
    "FrontEnd::Pushed::number", "FrontEnd::push_pulled_", "FrontEnd::push_taken_",   "FrontEnd::pushes_",
    "HartPort::tells_all",      "HartPort::told_line",    "Message::request_packet", "Message::request_source",
};

Members emulator() {
  Members members;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(KERR_SOURCE_DIR "/emu")) {
    if (entry.path().extension() != ".hpp" && entry.path().extension() != ".cpp") continue;
    std::ifstream file(entry.path());
    members.read(std::string{std::istreambuf_iterator<char>(file), {}});
  }
  return members;
}

TEST(SnapshotCoverage, EveryMemberIsSavedOrKnownNotToBeState) {
  Names known = kGiven;
  known.insert(kDerived.begin(), kDerived.end());
  known.insert(kPassing.begin(), kPassing.end());
  known.insert(kOfDebuggers.begin(), kOfDebuggers.end());
  known.insert(kForObservers.begin(), kForObservers.end());
  for (const std::string& member : emulator().unnamed()) {
    EXPECT_EQ(known.erase(member), 1u) << member
                                       << " is not in the serialize() of its class. If it is state, visit it there. "
                                          "If not, say in this test why.";
  }
  for (const std::string& member : known)
    ADD_FAILURE() << member << " is saved or no longer there, so it need not be excused.";
}

// The name of a class as it stands in its definition: without what a template was given.
std::string written(const std::string& name) { return name.substr(0, name.find('<')); }

TEST(SnapshotCoverage, KnowsEveryClassThatIsSaved) {
  Machine machine{Options{.boards = {arch::kP150}}};
  machine.chip(0).tiles.at_present(machine.chip(0).geometry.tensix().front());
  machine.chip(0).tiles.at_present(NocGeometry::node_of({1, 1}));  // Ethernet
  SurveyArchive survey;
  machine.save(survey);
  const std::vector<std::string> known = emulator().classes();
  EXPECT_GT(survey.classes().size(), 60u);
  for (const std::string& found : survey.classes()) {
    const std::string met = written(found);  // "timing::HartTimer" is written HartTimer, inside of its namespace
    EXPECT_TRUE(std::any_of(known.begin(), known.end(), [&](const std::string& name) {
      return met == name || met.ends_with("::" + name);
    })) << met;
  }
}

std::vector<std::string> unnamed_in(std::string_view source) {
  Members members;
  members.read(source);
  return members.unnamed();
}
using Strings = std::vector<std::string>;

TEST(SnapshotCoverage, FindsWhatSerializeDoesNotName) {
  EXPECT_EQ(unnamed_in("class A { void serialize(Archive& a) { a(x_); } int x_ = 0; bool y_{false}, z_; };"),
            (Strings{"A::y_", "A::z_"}));
  EXPECT_EQ(
      unnamed_in("class A : public B<int> { enum class E { X }; struct P { int p; } last; void serialize(Archive& a);\n"
                 " std::array<int, (1 << 2)> words_{}; unsigned bit : 1;\n"
                 " A() : words_{1}, bit{0} {} bool operator==(const A&) const { return true; } };\n"
                 "void A::serialize(Archive& a) { a(last.p); }"),
      (Strings{"A::bit", "A::words_"}));
}

TEST(SnapshotCoverage, LooksIntoObjectsThatAreSavedFromOutside) {
  EXPECT_EQ(unnamed_in("struct S { int pc, x; }; class A { void serialize(Archive& a) { a(s_.pc); } S s_; };"),
            Strings{"S::x"});
}

TEST(SnapshotCoverage, ExcusesReferencesAndConstantsOfWhoHasState) {
  EXPECT_EQ(
      unnamed_in(
          "class A { void serialize(Archive& a) { a(x_); } int x_; B& b_; const int c_; static int d_; B* e_; };"),
      Strings{"A::e_"});
  EXPECT_EQ(unnamed_in("struct View { int& x; int& y; void serialize(Archive& a) { a(x); } };"), Strings{"View::y"});
  EXPECT_EQ(
      unnamed_in("struct Unit { B& b_; }; class A { void serialize(Archive& a) { a(x_); } int x_; Unit unit_; };"),
      Strings{});
  EXPECT_EQ(
      unnamed_in("struct Unit { int n_; }; class A { void serialize(Archive& a) { a(x_); } int x_; Unit unit_; };"),
      Strings{"A::unit_"});
}

TEST(SnapshotCoverage, AsksClassesThatInheritSerialize) {
  EXPECT_EQ(unnamed_in("struct A { void serialize(Archive& a) { a(x); } int x; }; struct B : A { int y; };"),
            Strings{"B::y"});
}

}  // namespace
}  // namespace kerr::emu
