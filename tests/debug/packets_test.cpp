// Frames of the remote serial protocol.
#include "debug/packets.hpp"

#include <gtest/gtest.h>

#include "debug/hex.hpp"

namespace kerr::debug {
namespace {

TEST(Packets, AreFramedWithTheSumOfTheirBytes) {
  EXPECT_EQ(framed("OK"), "$OK#9a");
  EXPECT_EQ(framed(""), "$#00");
}

TEST(Packets, EscapeWhatMeansSomethingToTheProtocol) {
  EXPECT_EQ(framed("#$}*").substr(0, 9), "$}\x03}\x04}]}\n");
  EXPECT_EQ(unescaped("}\x03}\x04}]}\n"), "#$}*");
  EXPECT_EQ(unescaped("}"), "}") << "nothing is escaped";
}

TEST(Packets, ShowALongTextInSeveralThatAClientTakes) {
  const std::string text(PacketReader::kMostBytes, 'x');
  std::string shown;
  for (const std::string& payload : console_payloads(text)) {
    EXPECT_LE(payload.size(), PacketReader::kMostBytes);
    EXPECT_EQ(payload.front(), 'O');
    shown += payload.substr(1);
  }
  EXPECT_EQ(shown, hex_of(text));
  EXPECT_TRUE(console_payloads("").empty());
}

TEST(Packets, MayComeByteByByte) {
  PacketReader reader;
  for (const char c : std::string("+$m0,4#fd")) {
    EXPECT_FALSE(reader.next());
    reader.feed({&c, 1});
  }
  const auto event = reader.next();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, Event::Kind::Packet);
  EXPECT_EQ(event->payload, "m0,4");
  EXPECT_FALSE(reader.next());
}

TEST(Packets, WithAWrongSumAreDamaged) {
  PacketReader reader;
  reader.feed("$m0,4#fe$?#3f");
  EXPECT_EQ(reader.next()->kind, Event::Kind::Damaged);
  EXPECT_EQ(reader.next()->payload, "?");
}

TEST(Packets, ThatAreTooLongAreDamagedAndNotKept) {
  PacketReader reader;
  for (int i = 0; i < 100; ++i) {
    reader.feed((i == 0 ? "$" : "") + std::string(1000, 'x'));
    EXPECT_FALSE(reader.next());
  }
  reader.feed("#00$?#3f");
  EXPECT_EQ(reader.next()->kind, Event::Kind::Damaged);
  EXPECT_EQ(reader.next()->payload, "?");
}

TEST(Packets, InterruptsAndRequestsToSendAgainComeBetweenThem) {
  PacketReader reader;
  reader.feed("\x03-noise$?#3f");
  EXPECT_EQ(reader.next()->kind, Event::Kind::Interrupt);
  EXPECT_EQ(reader.next()->kind, Event::Kind::Resend);
  EXPECT_EQ(reader.next()->payload, "?");
}

TEST(Hex, TakesWholeNumbersOnly) {
  EXPECT_EQ(number_in("ffffffffffffffff"), ~uint64_t{0});
  for (const char* wrong : {"", "-1", "0x10", "12g", "10000000000000000", " 1"})
    EXPECT_FALSE(number_in(wrong)) << wrong;
  EXPECT_FALSE(word_in("100000000"));
  EXPECT_EQ(bytes_in("01ff"), (std::vector<uint8_t>{1, 255}));
  EXPECT_FALSE(bytes_in("01f"));
  EXPECT_EQ(hex_of_word(0x12345678), "78563412");
  EXPECT_EQ(count_in("4294967295"), ~uint32_t{0});
  EXPECT_EQ(count_in("0xffffffff"), ~uint32_t{0});
  for (const char* wrong : {"", "4294967296", "0x100000000", "99999999999999999999", "1x"})
    EXPECT_FALSE(count_in(wrong)) << wrong;
}

}  // namespace
}  // namespace kerr::debug
