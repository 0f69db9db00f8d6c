#include <array>
#include <string>

#include "debug/packets.hpp"
#include "debug/session.hpp"
#include "debug/target.hpp"
#include "tests/debug/fake_target.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/fuzz/targets.hpp"

namespace kerr::fuzz {

namespace {

constexpr std::array<const char*, 70> kPieces{"?",
                                              "g",
                                              "G",
                                              "p",
                                              "P",
                                              "=",
                                              "m",
                                              "M",
                                              "X",
                                              ",",
                                              ":",
                                              ";",
                                              "Z0,",
                                              "z0,",
                                              "Z1,",
                                              "Z2,",
                                              "z2,",
                                              "Z4,",
                                              ";X",
                                              "26000a",
                                              "22",
                                              "2000",
                                              "27",
                                              "17",
                                              "qXfer:",
                                              "features:read:target.xml:",
                                              "osdata:read:processes:",
                                              "libraries:read::",
                                              "threads:read::",
                                              "exec-file:read:1:",
                                              "0,4000",
                                              "ffffffff",
                                              "-1",
                                              "p1.1",
                                              "p2.1",
                                              "p1.-1",
                                              "vAttach;",
                                              "1",
                                              "2",
                                              "vCont;",
                                              "c",
                                              "s:",
                                              "r40,",
                                              "t",
                                              "vKill;",
                                              "D;",
                                              "Hg",
                                              "Hc",
                                              "T",
                                              "qRcmd,",
                                              "68656c70",
                                              "vFile:open:",
                                              "2f6b6572722f6164642e656c66",
                                              ",0,0",
                                              "vFile:pread:",
                                              "vFile:fstat:1",
                                              "vFile:close:1",
                                              "qCRC:",
                                              "qSupported:swbreak+",
                                              "qfThreadInfo",
                                              "QNonStop:1",
                                              "}",
                                              "#",
                                              "qThreadExtraInfo,",
                                              "Z3,",
                                              "z3,",
                                              "z4,",
                                              "100,4",
                                              "bs",
                                              "bc"};

uint64_t hash_of(uint64_t hash, std::string_view text) {
  for (const char c : text) hash = hash * 31 + static_cast<unsigned char>(c);
  return hash;
}

}  // namespace

// The first byte chooses: the bytes of a connection as they are, or packets of pieces, between which harts stop.
uint64_t fuzz_debug(std::span<const uint8_t> bytes) {
  Input in(bytes);
  debug::FakeTarget target;
  debug::Session session(target);
  debug::PacketReader reader;
  uint64_t hash = 0;
  const auto take = [&] {
    while (const auto event = reader.next()) {
      if (event->kind != debug::Event::Kind::Packet) continue;
      for (const std::string& reply : session.handle(event->payload)) hash = hash_of(hash, debug::framed(reply));
    }
  };
  const uint8_t way = in.byte();
  target.recorded = way % 8 >= 4;
  if (way % 4 == 0) {
    const std::string_view stream = in.text();
    for (size_t at = 0; at < stream.size(); at += 7) {
      reader.feed(stream.substr(at, 7));
      take();
    }
    return hash;
  }
  session.handle("vAttach;1");
  for (std::string packet; !in.empty();) {
    const uint8_t choice = in.byte();
    if (choice < kPieces.size() * 2) {
      packet += kPieces[choice % kPieces.size()];
      continue;
    }
    if (choice < 160) {
      packet += static_cast<char>(in.byte());
      continue;
    }
    reader.feed(debug::framed(packet));
    take();
    packet.clear();
    const debug::Pid pid = 1 + choice % 2;
    target.harts[pid].registers[debug::kPcRegister] = 4u * in.byte();
    if (session.has_attached(pid) && choice < 200)
      hash = hash_of(hash, session.stopped(pid, debug::Session::Signal::Trap, choice % 4 < 2).value_or(""));
    if (target.recorded && session.runs() && choice % 8 == 7)
      hash = hash_of(hash, session.at_end_of_time(choice < 220));
    const bool is_read = choice % 2 == 0;
    if (const auto watcher = session.watcher([](debug::Pid) { return true; }, in.byte(), is_read);
        watcher && choice > 240)
      hash = hash_of(hash, session.touched(*watcher, in.byte(), is_read));
  }
  for (const std::string& reply : session.ended()) hash = hash_of(hash, reply);
  return hash;
}

}  // namespace kerr::fuzz
