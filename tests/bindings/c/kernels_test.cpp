// Programs of kernels of one's own, on a device with buffers and tensors.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/bindings/c/session.hpp"

namespace kerr::c_test {
namespace {

constexpr const char* kAddOne =
    "        lw   t0, 0(a0)\n"
    "        lw   t1, 4(a0)\n"
    "loop:   lw   t2, 0(t0)\n"
    "        addi t2, t2, 1\n"
    "        sw   t2, 0(t0)\n"
    "        addi t0, t0, 4\n"
    "        addi t1, t1, -1\n"
    "        bnez t1, loop\n"
    "        ret\n";

// Adds one to each of so many words of L1. `data`: the line that says what they are.
std::string add_one_to(uint32_t words, const std::string& data) {
  return "dump = [\"numbers:u32\"]\n[[kernel]]\nfile = \"add_one.s\"\nargs = [\"numbers\", " + std::to_string(words) +
         "]\n[[l1]]\nname = \"numbers\"\nbytes = " + std::to_string(4 * words) + "\n" + data + "\n";
}

const std::string kProgram = add_one_to(3, "data = \"numbers.bin\"");

struct Ran : Answer {
  std::string report;
};

Ran run(const Session& session, const std::string& program,
        const std::vector<std::pair<std::string, std::string>>& files, const char* options = nullptr) {
  std::vector<kerr_file> list;
  for (const auto& [name, content] : files) list.push_back({name.c_str(), content.data(), content.size()});
  char* report = nullptr;
  Ran out{ask(kerr_run, session.device, program.c_str(), list.data(), list.size(), options, &report), {}};
  if (out == KERR_OK) out.report = text_and_free(report);
  return out;
}

const std::string kNumbers("\1\0\0\0\2\0\0\0\377\377\377\377", 12);

TEST(Kernels, RunOnFilesThatAreGiven) {
  const Session session;
  for (int turn = 0; turn < 2; ++turn) {
    const Ran ran = run(session, kProgram, {{"add_one.s", kAddOne}, {"numbers.bin", kNumbers}});
    ASSERT_EQ(ran, KERR_OK);
    EXPECT_NE(ran.report.find(R"("bytes":"020000000300000000000000")"), std::string::npos) << ran.report;
    EXPECT_NE(ran.report.find(R"("cores":[[1,2]])"), std::string::npos) << ran.report;
  }
}

TEST(Kernels, RunOnFilesOfAFolder) {
  const Session session;
  const Ran ran = run(session, "cores = \"1-2,2\"\n" + add_one_to(1, "values = [41]"), {},
                      R"({"folder": ")" KERR_SOURCE_DIR R"(/examples/assembler_text"})");
  ASSERT_EQ(ran, KERR_OK);
  const std::string sum = R"("bytes":"2a000000")";
  EXPECT_NE(ran.report.find(R"("core":[1,2],"address")"), std::string::npos) << ran.report;
  EXPECT_NE(ran.report.find(R"("core":[2,2],"address")"), std::string::npos) << ran.report;
  ASSERT_NE(ran.report.find(sum), std::string::npos) << ran.report;
  EXPECT_NE(ran.report.find(sum), ran.report.rfind(sum)) << "on both cores: " << ran.report;
}

TEST(Kernels, LeaveBuffersOfTheDeviceAlone) {
  const Session session;
  const std::vector<int32_t> numbers(3000, 7);
  const kerr_buffer buffer = session.holding(numbers);
  ASSERT_EQ(run(session, kProgram, {{"add_one.s", kAddOne}, {"numbers.bin", kNumbers}}), KERR_OK);
  EXPECT_EQ(session.read<int32_t>(buffer, 3000), numbers);
  EXPECT_EQ(session.launch(session.load(increment(3000)), {{buffer, 0, 12000}, {buffer, 0, 12000}}), KERR_OK);
  EXPECT_EQ(session.read<int32_t>(buffer, 1), std::vector<int32_t>{8});
}

TEST(Kernels, AreToldWhereBuffersAre) {
  const Session session;
  const kerr_buffer first = session.alloc(10000), second = session.alloc(1);
  kerr_place a{}, b{};
  ASSERT_EQ(ask(kerr_buffer_place, first, &a), KERR_OK);
  ASSERT_EQ(ask(kerr_buffer_place, second, &b), KERR_OK);
  EXPECT_EQ(a.bytes, 10000u);
  EXPECT_EQ(a.page_bytes, 4096u);
  EXPECT_EQ(a.banks, session.info("dram_banks"));
  EXPECT_NE(a.address, b.address);
  EXPECT_EQ(ask(kerr_buffer_free, first), KERR_OK);
  EXPECT_EQ(ask(kerr_buffer_place, first, &a), KERR_INVALID_HANDLE);
}

TEST(Kernels, ThatFaultNameTheirLineAndTheNextOneRuns) {
  const Session session;
  const kerr_buffer buffer = session.holding(std::vector<int32_t>{5});
  const Ran bad = run(session, "[[kernel]]\nfile = \"bad.s\"\n", {{"bad.s", "nop\nlw t0, 1(zero)\nret\n"}});
  EXPECT_EQ(bad, KERR_FAULT);
  EXPECT_TRUE(bad.has("bad.s:2")) << bad.json;
  EXPECT_EQ(run(session, kProgram, {{"add_one.s", kAddOne}, {"numbers.bin", kNumbers}}), KERR_OK);
  EXPECT_EQ(session.read<int32_t>(buffer, 1), std::vector<int32_t>{5});
}

TEST(Kernels, ThatHangAreDeadlocksOrTimeOut) {
  const Session session;
  const std::string program =
      "[[kernel]]\nfile = \"k.s\"\nargs = [\"x\"]\n[[l1]]\nname = \"x\"\nbytes = 4\nvalues = [1]\n";
  EXPECT_EQ(run(session, program, {{"k.s", "lw t0, 0(a0)\nloop: lw t1, 0(t0)\nbnez t1, loop\nret\n"}}), KERR_DEADLOCK);
  const Ran late =
      run(session, program, {{"k.s", "li t0, 0\nloop: addi t0, t0, 1\nj loop\n"}}, R"({"timeout_ms": 100})");
  EXPECT_EQ(late, KERR_TIMEOUT);
  EXPECT_TRUE(late.has("has not ended within 100 ms")) << late.json;
  EXPECT_TRUE(late.has("has not finished")) << late.json;
  EXPECT_EQ(run(session, "cycles = 10000\n" + program, {{"k.s", "li t0, 0\nloop: addi t0, t0, 1\nj loop\n"}}),
            KERR_TIMEOUT);
  EXPECT_EQ(session.info("resets"), 3u);
}

TEST(Kernels, ThatMakeNoSenseAreRefused) {
  const Session session;
  EXPECT_TRUE(run(session, "frobnicate = 1\n", {}).has("line 1"));
  EXPECT_TRUE(run(session, "[[kernel]]\nfile = \"add_one.s\"\n", {}).has("none of the files"));
  EXPECT_TRUE(run(session, "[[kernel]]\nfile = \"none.s\"\n", {}, R"({"folder": "/"})").has("cannot be read"));
  EXPECT_TRUE(run(session, "[[kernel]]\nfile = \"k.s\"\n", {{"k.s", "nop\nfrobnicate t0\n"}}).has("k.s"));
  EXPECT_EQ(run(session, "[[kernel]]\nfile = \"k\"\n", {{"k", "\177ELF, or what begins as such a file"}}),
            KERR_UNSUPPORTED);
  EXPECT_EQ(run(session, "bare = true\n[[kernel]]\nfile = \"k.s\"\n", {{"k.s", "ret\n"}}), KERR_UNSUPPORTED);
  EXPECT_EQ(run(session, "dump = [\"reg\"]\n[[kernel]]\nfile = \"k.s\"\n", {{"k.s", "ret\n"}}), KERR_UNSUPPORTED);
  EXPECT_EQ(run(session, "cores = \"8,2\"\n[[kernel]]\nfile = \"k.s\"\n", {{"k.s", "ret\n"}}), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(run(session, kProgram, {}, R"({"frobnicate": 1})"), KERR_INVALID_ARGUMENT);
  const kerr_file nameless = {nullptr, nullptr, 0}, empty = {"k.s", nullptr, 5};
  char* report = nullptr;
  EXPECT_EQ(ask(kerr_run, session.device, kProgram.c_str(), &nameless, 1, nullptr, &report), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(ask(kerr_run, session.device, kProgram.c_str(), &empty, 1, nullptr, &report), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(report, nullptr);
  EXPECT_EQ(session.info("used"), 0u);
}

}  // namespace
}  // namespace kerr::c_test
