// What a client is answered, packet by packet.
#include "debug/session.hpp"

#include <gtest/gtest.h>

#include "debug/hex.hpp"
#include "tests/debug/fake_target.hpp"

namespace kerr::debug {
namespace {

class Dialogue : public testing::Test {
 protected:
  std::string ask(std::string_view packet) {
    std::string all;
    for (const std::string& reply : session_.handle(packet)) all += (all.empty() ? "" : "|") + reply;
    return all;
  }
  void come_to_a_watchpoint() {
    ask("vAttach;1");
    ask("Z2,100,4");
    ask("vCont;c");
    session_.touched(1, 0x100, false);
  }
  FakeTarget target_;
  Session session_{target_};
};

TEST_F(Dialogue, NothingIsAttachedAtFirst) {
  EXPECT_NE(ask("qSupported:multiprocess+;swbreak+").find("PacketSize=4000;"), std::string::npos);
  EXPECT_EQ(ask("?"), "W00");
  EXPECT_EQ(ask("qfThreadInfo"), "l");
  EXPECT_EQ(ask("g"), "E01");
  EXPECT_EQ(ask("m0,4"), "E01");
  EXPECT_EQ(ask("vCont;c"), "E01");
  EXPECT_FALSE(session_.runs());
}

TEST_F(Dialogue, ListsProcessesWhoseNamesAreQuoted) {
  const std::string list = ask("qXfer:osdata:read:processes:0,4000");
  EXPECT_EQ(list.front(), 'l');
  EXPECT_NE(list.find("<column name=\"pid\">1</column><column name=\"hart\">(1,2) BRISC</column>"), std::string::npos);
  EXPECT_NE(list.find("&lt;polls &amp; waits&gt;"), std::string::npos);
}

TEST_F(Dialogue, LongDocumentsComeInParts) {
  EXPECT_EQ(ask("qXfer:features:read:target.xml:0,4000"), "E00") << "whose?";
  ask("vAttach;1");
  const std::string whole = ask("qXfer:features:read:target.xml:0,4000");
  std::string parts;
  for (std::string part = "m"; part.front() == 'm';) {
    part = ask("qXfer:features:read:target.xml:" + [&] {
      char text[20];
      std::snprintf(text, sizeof text, "%zx,100", parts.size());
      return std::string(text);
    }());
    parts += part.substr(1);
  }
  EXPECT_EQ(parts, target_description(RegisterSet::Noc));
  EXPECT_EQ(whole, "l" + parts);
  EXPECT_NE(parts.find("<osabi>none</osabi>"), std::string::npos);
}

TEST_F(Dialogue, AttachingTellsOfAStop) {
  EXPECT_EQ(ask("vAttach;1"), "T05thread:p1.1;");
  EXPECT_EQ(ask("vAttach;3"), "E01");
  EXPECT_EQ(ask("?"), "T05thread:p1.1;");
  EXPECT_EQ(ask("qC"), "QCp1.1");
  EXPECT_EQ(ask("vAttach;2"), "T05thread:p2.1;");
  EXPECT_EQ(ask("qfThreadInfo"), "mp1.1,p2.1");
  EXPECT_EQ(ask("Tp2.1"), "OK");
  EXPECT_EQ(ask("Tp3.1"), "E01");
  EXPECT_NE(ask("qXfer:libraries:read::0,1000").find("<library-list>"), std::string::npos);
}

TEST_F(Dialogue, RegistersAreThoseOfTheThreadThatWasChosen) {
  ask("vAttach;1");
  ask("vAttach;2");
  target_.harts[1].registers[10] = 0x11223344;
  EXPECT_EQ(ask("Hgp1.1"), "OK");
  EXPECT_EQ(ask("pa"), "44332211");
  EXPECT_EQ(ask("Pa=78563412"), "OK");
  EXPECT_EQ(target_.harts[1].registers[10], 0x12345678u);
  EXPECT_EQ(target_.harts[2].registers[10], 0u);
  EXPECT_EQ(ask("g").size(), 8 * kRegisters);
  EXPECT_EQ(ask("p48"), "01000000020000000300000004000000") << "the first that not all harts have";
  EXPECT_EQ(ask("P48=05000000020000000300000004000000"), "OK");
  EXPECT_EQ(target_.wide[0], 5u);
  EXPECT_EQ(ask("P48=05000000"), "E.it is looked at only");
  EXPECT_EQ(ask("p49"), "E01") << "there is no register 73";
  EXPECT_EQ(ask("Hgp7.1"), "E01");
  EXPECT_EQ(ask("Hgp0.0"), "OK");
  EXPECT_EQ(ask("qC"), "QCp2.1") << "any is the one that was attached last";
}

TEST_F(Dialogue, MemoryIsReadAsFarAsItGoes) {
  ask("vAttach;1");
  EXPECT_EQ(ask("M10,3:0a0b0c"), "OK");
  EXPECT_EQ(ask("m10,4"), "0a0b0c00");
  EXPECT_EQ(ask(std::string("X20,2:}\x03z")), "OK");
  EXPECT_EQ(ask("m20,2"), "237a") << "# was escaped";
  EXPECT_EQ(ask("mffe,8"), "0000");
  EXPECT_EQ(ask("m1000,1"), "E01");
  EXPECT_EQ(ask("M10,4:0a0b"), "E01");
  EXPECT_EQ(ask("Mfff,2:0a0b"), "E01");
  EXPECT_EQ(ask("m10"), "E01");
  ask("M40,9:313233343536373839");
  EXPECT_EQ(ask("qCRC:40,9"), "C376e6e7") << "of 123456789, as CRC-32/MPEG-2 is listed";
}

TEST_F(Dialogue, ABreakpointIsTakenAwayWhenTheClientContinues) {
  ask("qSupported:swbreak+");
  ask("vAttach;1");
  EXPECT_EQ(ask("Z0,40,4"), "OK");
  EXPECT_EQ(ask("Z1,44,2"), "OK");
  EXPECT_EQ(ask("Z0,42,2"), "E01") << "no instruction lies there";
  EXPECT_EQ(target_.harts[1].breakpoints, (std::vector<uint32_t>{0x40, 0x44}));
  EXPECT_EQ(ask("vCont;c"), "");
  EXPECT_TRUE(session_.runs());
  target_.harts[1].registers[kPcRegister] = 0x40;
  EXPECT_EQ(session_.stopped(1, Session::Signal::Trap, true), "T05thread:p1.1;swbreak:;");
  EXPECT_FALSE(session_.runs());
  EXPECT_EQ(ask("z0,40,4"), "OK");
  EXPECT_EQ(ask("vCont;s:p1.1"), "");
  EXPECT_TRUE(target_.harts[1].steps);
  EXPECT_EQ(target_.harts[1].breakpoints, (std::vector<uint32_t>{0x40, 0x44})) << "for others, during the step";
  target_.harts[1].registers[kPcRegister] = 0x44;
  EXPECT_EQ(session_.stopped(1, Session::Signal::Trap), "T05thread:p1.1;");
  EXPECT_EQ(ask("vCont;c:p1.-1"), "");
  EXPECT_EQ(target_.harts[1].breakpoints, (std::vector<uint32_t>{0x44}));
  EXPECT_EQ(session_.stopped(1, Session::Signal::Trap, true), "T05thread:p1.1;hwbreak:;");
}

TEST_F(Dialogue, AConditionIsEvaluatedBeforeTheClientIsTold) {
  ask("vAttach;1");
  EXPECT_EQ(ask("Z0,40,4;X8,26000a22071327"), "E01") << "8 bytes, 7 given";
  EXPECT_EQ(ask("Z0,40,4;X7,26000a22071327"), "OK") << "a0 == 7";
  ask("vCont;c");
  target_.harts[1].registers[kPcRegister] = 0x40;
  EXPECT_FALSE(session_.stopped(1, Session::Signal::Trap, true));
  EXPECT_TRUE(session_.runs());
  target_.harts[1].registers[10] = 7;
  EXPECT_TRUE(session_.stopped(1, Session::Signal::Trap, true));
}

TEST_F(Dialogue, AStepThroughARangeIsOneStop) {
  ask("vAttach;1");
  ask("vCont;r40,4c:p1.1;c");
  EXPECT_TRUE(target_.harts[1].steps);
  for (const uint32_t pc : {0x44u, 0x48u}) {
    target_.harts[1].registers[kPcRegister] = pc;
    target_.harts[1].steps = false;
    EXPECT_FALSE(session_.stopped(1, Session::Signal::Trap));
    EXPECT_TRUE(target_.harts[1].steps);
  }
  target_.harts[1].registers[kPcRegister] = 0x4C;
  EXPECT_EQ(session_.stopped(1, Session::Signal::Trap), "T05thread:p1.1;");
}

TEST_F(Dialogue, AWatchpointNamesTheAddress) {
  ask("vAttach;1");
  EXPECT_EQ(ask("Z2,100,4"), "OK");
  EXPECT_EQ(ask("Z2,2000,4"), "E01");
  EXPECT_EQ(ask("Z5,100,4"), "");
  EXPECT_EQ(target_.harts[1].watches, (std::vector<Target::Watch>{{0x100, 4}}));
  const auto any = [](Pid) { return true; };
  EXPECT_EQ(session_.watcher(any, 0x103, false), 1u);
  EXPECT_FALSE(session_.watcher(any, 0x103, true));
  EXPECT_FALSE(session_.watcher(any, 0x104, false));
  EXPECT_EQ(session_.touched(1, 0x103, false), "T05thread:p1.1;watch:103;");
  EXPECT_EQ(ask("z2,100,4"), "OK");
  EXPECT_TRUE(target_.harts[1].watches.empty());
}

TEST_F(Dialogue, WatchesReadsAloneAndWithWrites) {
  ask("vAttach;1");
  EXPECT_EQ(ask("Z3,100,4"), "OK");
  EXPECT_EQ(ask("Z4,200,8"), "OK");
  EXPECT_EQ(target_.harts[1].watches, (std::vector<Target::Watch>{{0x100, 4, true, false}, {0x200, 8, true, true}}));
  const auto any = [](Pid) { return true; };
  EXPECT_EQ(session_.watcher(any, 0x100, true), 1u);
  EXPECT_FALSE(session_.watcher(any, 0x100, false));
  EXPECT_EQ(session_.watcher(any, 0x207, false), 1u);
  EXPECT_EQ(session_.touched(1, 0x100, true), "T05thread:p1.1;rwatch:100;");
  EXPECT_EQ(session_.touched(1, 0x204, true), "T05thread:p1.1;awatch:204;");
  EXPECT_EQ(session_.touched(1, 0x204, false), "T05thread:p1.1;awatch:204;");
  EXPECT_EQ(ask("z3,200,8"), "E01") << "that is another kind";
  EXPECT_EQ(ask("z4,200,8"), "OK");
}

TEST_F(Dialogue, TheStepBehindAWatchpointThatIsTakenAwayExecutesNothing) {
  come_to_a_watchpoint();
  EXPECT_EQ(ask("z2,100,4"), "OK");
  EXPECT_EQ(ask("vCont;s:p1.1"), "T05thread:p1.1;");
  EXPECT_FALSE(session_.runs());
  EXPECT_FALSE(target_.harts[1].steps);
  EXPECT_EQ(ask("vCont;s:p1.1"), "") << "the next one is the client's";
  EXPECT_TRUE(target_.harts[1].steps);
}

TEST_F(Dialogue, AStepAtAWatchpointThatIsPutBackIsAStep) {
  come_to_a_watchpoint();
  ask("z2,100,4");
  ask("Z2,100,4");
  EXPECT_EQ(ask("vCont;s:p1.1"), "");
  EXPECT_TRUE(target_.harts[1].steps);
}

TEST_F(Dialogue, AStepAtAWatchpointThatStaysIsAStep) {
  come_to_a_watchpoint();
  EXPECT_EQ(ask("vCont;s:p1.1"), "");
  EXPECT_TRUE(target_.harts[1].steps);
}

TEST_F(Dialogue, DetachingTakesEverythingBack) {
  ask("vAttach;1");
  ask("Z0,40,4");
  ask("Z2,100,4");
  EXPECT_EQ(ask("D;1"), "OK");
  EXPECT_TRUE(target_.harts[1].breakpoints.empty());
  EXPECT_TRUE(target_.harts[1].watches.empty());
  EXPECT_FALSE(session_.has_attached_any());
  EXPECT_TRUE(session_.has_begun());
  EXPECT_EQ(ask("D;1"), "E01");
}

TEST_F(Dialogue, OnlyFilesOfLibrariesCanBeOpened) {
  ask("vAttach;1");
  EXPECT_EQ(ask("vFile:setfs:0"), "F0");
  EXPECT_EQ(ask("vFile:open:" + hex_of("/etc/passwd") + ",0,0"), "F-1,2");
  EXPECT_EQ(ask("vFile:open:" + hex_of("/kerr/add.elf") + ",1,0"), "F-1,2") << "to write";
  EXPECT_EQ(ask("vFile:open:" + hex_of("/kerr/add.elf") + ",0,0"), "F1");
  EXPECT_EQ(ask("vFile:fstat:1").substr(0, 4), "F40;");
  EXPECT_EQ(ask("vFile:pread:1,4,1"), "F4;ELF ");
  EXPECT_EQ(ask("vFile:pread:1,1000,ffff"), "F0;");
  EXPECT_EQ(ask("vFile:close:1"), "F0");
  EXPECT_EQ(ask("vFile:pread:1,4,0"), "F-1,9");
}

TEST_F(Dialogue, MonitorPrintsInPieces) {
  ask("vAttach;1");
  EXPECT_EQ(ask("qRcmd," + hex_of("sem")), "O" + hex_of("1: sem\n") + "|OK");
  EXPECT_EQ(ask("qRcmd,xyz"), "E01");
}

TEST_F(Dialogue, TheEndIsAnExitOfEachProcess) {
  ask("vAttach;1");
  ask("vAttach;2");
  EXPECT_EQ(session_.ended(), (std::vector<std::string>{"W00;process:1", "W00;process:2"}));
}

TEST_F(Dialogue, WhatIsUnknownIsAnsweredWithNothing) {
  EXPECT_EQ(ask("vMustReplyEmpty"), "");
  EXPECT_EQ(ask("QNonStop:1"), "E.Kerr stops all harts together: set non-stop off.");
  EXPECT_EQ(ask("jabber"), "");
  EXPECT_EQ(ask(""), "");
}

}  // namespace
}  // namespace kerr::debug
