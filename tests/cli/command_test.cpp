// The command as a shell sees it: what it says, and its exit status.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/messages.hpp"
#include "emu/machine/input_log.hpp"
#include "emu/machine/machine.hpp"

namespace kerr::cli {
namespace {

struct Outcome {
  int status = -1;
  std::string text;  // both streams, unless the arguments send one elsewhere
};

Outcome shell(const std::string& line) {
  Outcome outcome;
  std::FILE* pipe = ::popen(line.c_str(), "r");
  if (pipe == nullptr) return outcome;
  char part[4096];
  while (const std::size_t bytes = std::fread(part, 1, sizeof part, pipe)) outcome.text.append(part, bytes);
  const int status = ::pclose(pipe);
  if (WIFEXITED(status)) outcome.status = WEXITSTATUS(status);
  return outcome;
}

Outcome kerr(const std::string& arguments) { return shell(std::string(KERR_COMMAND " 2>&1 ") + arguments); }

// A file of a test's own.
class Scratch {
 public:
  explicit Scratch(const std::string& content)
      : path_(std::filesystem::temp_directory_path() /
              (std::string("kerr_") + testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~Scratch() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

/// The command behind `ulimit ...` of a shell.
Outcome kerr_with(const std::string& limit, const std::string& arguments) {
  return shell("(" + limit + "; " KERR_COMMAND " " + arguments + ") 2>&1");
}

#ifndef KERR_SANITIZED
TEST(Command, NeedsLittleAddressSpaceAndSaysSoIfThereIsLess) {
  for (const char* command :
       {"matmul 32 32 32", "matmul 32 32 32 --board p150", "eval 'x + 1' --x 32x32", "smi --board p150"}) {
    const Outcome outcome = kerr_with("ulimit -v 2097152", command);
    EXPECT_EQ(outcome.status, 0) << command << ": " << outcome.text;
  }
  const Outcome outcome = kerr_with("ulimit -v 100000", "matmul 32 32 32");
  EXPECT_EQ(outcome.status, 2) << outcome.text;
  EXPECT_NE(outcome.text.find("ulimit -v unlimited"), std::string::npos) << outcome.text;
}

TEST(Command, RunsOrExplainsItselfWithLittleStack) {
  const Outcome outcome = kerr_with("ulimit -s 64", "matmul 32 32 32");
  if (outcome.status != 0) {  // only who may raise the limit gets more
    EXPECT_EQ(outcome.status, 2) << outcome.text;
    EXPECT_NE(outcome.text.find("ulimit -s 256"), std::string::npos) << outcome.text;
  }
}
#endif

TEST(Command, RefusesWithOneSentenceThatNamesTheOffenderAndWhatToTry) {
  const struct {
    const char* arguments;
    const char* offender;
  } wrong[] = {
      {"", "command"},
      {"nosuch", "nosuch"},
      {"cq", "subcommand"},
      {"cq dump /nosuch", "/nosuch"},
      {"matmul", "M is required"},
      {"matmul 1 2 3 4", "4"},
      {"matmul a 2 3", "M = a"},
      {"matmul 8 8 -3", "K must be from 1"},
      {"matmul 8 8 8 --cores 0", "--cores"},
      {"matmul 8 8 8 --threads 257", "--threads"},
      {"matmul 8 8 8 --timing sloppy", "--timing"},
      {"matmul 8 8 8 --fidelity 5", "{lofi,hifi2,hifi3,hifi4}"},
      {"matmul 8 8 8 --board n150", "{p100a,p150}"},
      {"matmul 8 8 8 --board p150 --library " KERR_COMMAND, "--board"},
      {"asm no_such_file", "no_such_file"},
      {"disasm no_such_file", "no_such_file"},
  };
  for (const auto& [arguments, offender] : wrong) {
    const Outcome outcome = kerr(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_TRUE(outcome.text.starts_with("kerr: ")) << arguments << "\n" << outcome.text;
    EXPECT_NE(outcome.text.find(offender), std::string::npos) << arguments << "\n" << outcome.text;
    EXPECT_NE(outcome.text.find("Try 'kerr"), std::string::npos) << arguments << "\n" << outcome.text;
  }
}

TEST(Command, ReadsBackTheTimingParametersThatItShows) {
  const Scratch shown(kerr("timing show --clock 800 --json").text);
  EXPECT_EQ(kerr("timing show --json --timing-parameters " + shown.path()).text,
            kerr("timing show --clock 800 --json").text);
  EXPECT_NE(kerr("timing show --json").text, kerr("timing show --clock 800 --json").text);
}

TEST(Command, NamesWhatIsWrongWithTimingParameters) {
  const struct {
    const char* file;
    const char* offender;
  } wrong[] = {
      {"{", "no JSON"},
      {"3", "a list or an object"},
      {R"({"warp_factor": 3})", "'warp_factor'"},
      {R"([{"name": "noc_hop", "value": 9, "unit": "ns"}])", "noc_hop is in cycles, not in \"ns\""},
      {R"([{"name": "noc_hop", "value": 9, "colour": 1}])", "'colour'"},
      {R"({"noc_hop": -1})", "noc_hop = -1"},
      {R"({"noc_hop": 0})", "noc_hop must be from 1"},
      {R"([{"name": "noc_hop", "value": 9}, {"name": "noc_hop", "value": 8}])", "noc_hop is there twice"},
  };
  for (const auto& [content, offender] : wrong) {
    const Scratch file(content);
    const Outcome outcome = kerr("timing show --timing-parameters " + file.path());
    EXPECT_EQ(outcome.status, 2) << content;
    EXPECT_NE(outcome.text.find(offender), std::string::npos) << content << "\n" << outcome.text;
    EXPECT_NE(outcome.text.find(file.path()), std::string::npos) << outcome.text;
  }
  const Scratch good(R"({"noc_hop": 10})");
  EXPECT_EQ(kerr("matmul 8 8 8 --timing-parameters " + good.path()).status, 2) << "exact timing only";
}

TEST(Command, ExplainsAPlanWithoutRunningIt) {
  const Outcome outcome = kerr("matmul 5120 5632 4096 --plan compat --explain --json");
  EXPECT_EQ(outcome.status, 0);
  const nlohmann::json json = nlohmann::json::parse(outcome.text);
  EXPECT_EQ(json.at("executed"), (nlohmann::json{5120, 4096, 5632}));
  EXPECT_EQ(json.at("dram_read_bytes"), 2 * (5120 * 4096 + 4096 * 5632));
  EXPECT_EQ(json.at("placement").size(), 110u);
  EXPECT_EQ(json.at("useful_fraction"), 1.0);
  EXPECT_NE(kerr("matmul 100 100 100 --explain").text.find("padding"), std::string::npos);
}

TEST(Command, PrintsJsonOnStandardOutputOnly) {
  const Outcome outcome = kerr("matmul 33 65 1 --json --threads 1 2>/dev/null");
  EXPECT_EQ(outcome.status, 0);
  const nlohmann::json json = nlohmann::json::parse(outcome.text);
  EXPECT_TRUE(json.at("verified"));
  EXPECT_EQ(json.at("executed"), (nlohmann::json{64, 32, 96}));
  EXPECT_EQ(nlohmann::json::parse(kerr("info --board p150 --json").text).at("workers"), 138);
}

// Row 21 of the trial: the same product, the same bits, one verdict.
TEST(Command, MatmulAndEvalJudgeTheSameProductAlike) {
  for (const char* size : {"1 1 4096", "1 1 16384", "32 32 4096"}) {
    std::int64_t m = 0, n = 0, k = 0;
    ASSERT_EQ(std::sscanf(size, "%ld %ld %ld", &m, &n, &k), 3);
    const Outcome product = kerr(fmt::format("matmul {} --json 2>/dev/null", size));
    const Outcome expression = kerr(fmt::format("eval 'x @ y' --x {}x{} --y {}x{} --json 2>/dev/null", m, k, k, n));
    const nlohmann::json one = nlohmann::json::parse(product.text), other = nlohmann::json::parse(expression.text);
    EXPECT_EQ(product.status, 0) << size;
    EXPECT_EQ(product.status, expression.status) << size;
    for (const char* key : {"hash", "verdict", "verified", "elements"}) EXPECT_EQ(one.at(key), other.at(key)) << size;
  }
}

TEST(Command, Int8ProductsGetTheFidelityThatTheyNeed) {
  const Outcome outcome = kerr("matmul 32 32 32 --in int8 --out int32 --json 2>/dev/null");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(nlohmann::json::parse(outcome.text).at("fidelity"), 4);
  const Outcome refused = kerr("matmul 32 32 32 --in int8 --out int32 --fidelity lofi");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.text.find("use fidelity hifi4"), std::string::npos) << refused.text;
}

TEST(Command, EvalSaysHowManyElementsWereComparedHow) {
  const Outcome by_class = kerr("eval 'x / 0' --x 32x32");
  EXPECT_EQ(by_class.status, 0);
  EXPECT_NE(by_class.text.find("no element is a number with bounds"), std::string::npos) << by_class.text;
  EXPECT_NE(by_class.text.find("verified: all 1024 elements are the infinity, NaN or zero that they must be"),
            std::string::npos)
      << by_class.text;
  const auto json = nlohmann::json::parse(kerr("eval 'x / 0' --x 32x32 --json 2>/dev/null").text);
  EXPECT_EQ(json.at("verdict"), "verified");
  EXPECT_EQ(json.at("elements").at("by_class"), 1024);
  EXPECT_EQ(json.at("elements").at("within_bounds"), 0);
}

TEST(Command, EvalNeverAdvisesAnOptionThatIsGiven) {
  const Outcome given = kerr("eval 'sin(x)' --x 32x32 --low -1e9 --high 1e9 --format fp32");
  EXPECT_EQ(given.status, 0);
  EXPECT_NE(given.text.find("right as far as it can be told"), std::string::npos) << given.text;
  EXPECT_EQ(given.text.find("--format fp32"), std::string::npos) << given.text;
  EXPECT_EQ(given.text.find("..1'"), std::string::npos) << "a range is given: " << given.text;
  const Outcome sums = kerr("matmul 1 1 65536 --fp32 --fidelity hifi4");
  EXPECT_EQ(sums.status, 0);
  EXPECT_EQ(sums.text.find("--fp32"), std::string::npos) << sums.text;
}

TEST(Command, EvalTakesARangeForEachOperand) {
  for (const char* good : {"0.1..4", "-1e3..-1e-3", "fp32:+2..2", "-4..4:fp32", "1..1e2"}) {
    const Outcome outcome = kerr(fmt::format("eval 'x * 2' --x 32x32:{}", good));
    EXPECT_EQ(outcome.status, 0) << good << outcome.text;
  }
  const struct {
    const char* range;
    const char* offender;
  } wrong[] = {{"4..1", "begins above its end"},
               {"a..1", "a..1"},
               {"nan..1", "nan"},
               {"1..inf", "inf"},
               {"1..", "1.."},
               {"fp33", "fp33"}};
  for (const auto& [range, offender] : wrong) {
    const Outcome outcome = kerr(fmt::format("eval 'x * 2' --x 32x32:{}", range));
    EXPECT_EQ(outcome.status, 2) << range;
    EXPECT_NE(outcome.text.find(offender), std::string::npos) << outcome.text;
  }
  const auto max_of = [](const char* range) {
    return nlohmann::json::parse(
               kerr(fmt::format("eval 'int32(max(x)) * 1' --x 32x32:{} --json 2>/dev/null", range)).text)
        .at("hash");
  };
  EXPECT_EQ(max_of("7.5..7.75"), max_of("7.25..7.9"));
  EXPECT_NE(max_of("7.5..7.75"), max_of("8.5..8.75"));
  const Outcome derived = kerr("eval 'log(x)' --x 32x32");
  EXPECT_EQ(derived.status, 0);
  EXPECT_NE(derived.text.find("operand x     from 0.1 to 1"), std::string::npos) << derived.text;
}

TEST(Command, NoParkingChangesNothingButTheTimeItTakes) {
  const auto run = [](const std::string& option) {
    return nlohmann::json::parse(kerr("matmul 64 64 32 --cores 2 --json --threads 1 " + option + " 2>/dev/null").text);
  };
  const nlohmann::json parking = run(""), spinning = run("--no-parking");
  for (const char* key : {"hash", "device_cycles"}) EXPECT_EQ(parking.at(key), spinning.at(key)) << key;
}

TEST(Command, SwitchesTheFaultOfFp16AccumulationOnTheEmulatorOnly) {
  EXPECT_EQ(kerr("matmul 32 32 32 --threads 1 --fp16-accumulation-fault off 2>/dev/null").status, 0);
  EXPECT_NE(kerr("matmul 32 32 32 --fp16-accumulation-fault maybe 2>/dev/null").status, 0);
  EXPECT_NE(kerr("matmul 32 32 32 --library /dev/null --fp16-accumulation-fault on 2>/dev/null").status, 0);
}

TEST(Command, SaysWhenItsOutputIsLost) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  EXPECT_EQ(kerr("info >/dev/full").status, 2);
  EXPECT_EQ(kerr("info >&-").status, 2);
  EXPECT_EQ(kerr("nosuch 2>/dev/full").status, 2);
}

TEST(Command, DisassemblesWhatItAssembledBytesBehindTheLastWordIncluded) {
  const Scratch source("nop\n.byte 0x13, 7\n");
  const std::string binary = source.path() + ".bin";
  ASSERT_EQ(kerr("asm " + source.path() + " -o " + binary).status, 0);
  EXPECT_EQ(kerr("disasm " + binary).text, "       0:  00000013  nop\n       4:  00000713  .byte 0x13, 0x07\n");
  std::filesystem::remove(binary);
}

TEST(Command, QuotesBinaryGarbageWithoutWhatATerminalObeys) {
  const Scratch garbage("\x1b]0;title\x07 \x01\n");
  const Outcome outcome = kerr("asm " + garbage.path());
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.text.find('\x1b'), std::string::npos);
  EXPECT_NE(outcome.text.find("?]0;title? ?"), std::string::npos) << outcome.text;
}

TEST(Messages, LongLinesAreCut) {
  const std::string text = printable(std::string(5000, 'a') + "\nnext");
  EXPECT_EQ(text, std::string(400, 'a') + " ...\nnext");
}

TEST(Command, SmiShowsWhatTheManagementControllerSays) {
  const nlohmann::json json = nlohmann::json::parse(kerr("smi --board p150 --json").text);
  EXPECT_EQ(json.at("board"), "p150a");
  EXPECT_EQ(json.at("tensix_tiles"), 140);
  EXPECT_EQ(json.at("clocks").at("AICLK"), 800);
  EXPECT_EQ(json.at("temperature").at("ASIC"), 40.0);
  EXPECT_TRUE(json.at("power").at("input").is_null()) << "the emulator has no power meter";
  const Outcome text = kerr("smi");
  EXPECT_EQ(text.status, 0);
  EXPECT_NE(text.text.find("Tensix columns 3, 8  (120 tiles good)"), std::string::npos) << text.text;
  EXPECT_NE(text.text.find("DRAM banks 3  (7 good)"), std::string::npos) << text.text;
  EXPECT_NE(text.text.find("AICLK                  800 MHz"), std::string::npos) << text.text;
}

TEST(Command, ResetNamesItsSteps) {
  const Outcome outcome = kerr("reset");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.text.find("the interface timer reset the chip"), std::string::npos) << outcome.text;
  EXPECT_TRUE(nlohmann::json::parse(kerr("reset --json").text).at("chip_reset"));
}

TEST(Command, DevicesListsBoardsAndCardsAndACardThatIsNotThereIsNamed) {
  const Outcome outcome = kerr("devices");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.text.find("emulated      p100a, p150"), std::string::npos) << outcome.text;
  EXPECT_EQ(nlohmann::json::parse(kerr("devices --json").text).at("emulated").size(), 2u);
  const Outcome absent = kerr("smi --device 0000:ff:1f.7");
  EXPECT_EQ(absent.status, 2);
  EXPECT_NE(absent.text.find("Blackhole card"), std::string::npos) << absent.text;
  EXPECT_NE(kerr("smi --device 0 --board p150").status, 0);
}

TEST(Command, CqDumpDecodesACapturedQueueAndRefusesMalformedBytesWithTheirOffset) {
  const Scratch region("");
  const Outcome run = kerr("matmul 32 32 32 --save-queue " + region.path());
  ASSERT_EQ(run.status, 0) << run.text;
  const Outcome text = kerr("cq dump --region " + region.path());
  EXPECT_EQ(text.status, 0);
  for (const char* name : {"RELAY_INLINE", "WRITE_PACKED_LARGE", "SEND_GO_SIGNAL", "WRITE_LINEAR_H_HOST", "TIMESTAMP"}) {
    EXPECT_NE(text.text.find(name), std::string::npos) << name;
  }
  EXPECT_NE(kerr("cq dump --json --region " + region.path()).text.find("\"command\": \"WAIT\""), std::string::npos);
  const Outcome wrong = kerr("cq dump --offset 0x104 " + region.path());
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.text.find("byte 0x104"), std::string::npos) << wrong.text;
}

TEST(Command, RecordsAMatmulAndReplaysItFromItsSnapshot) {
  const Scratch name("");
  const std::string record = name.path() + ".log", middle = name.path() + ".half", last = name.path() + ".end";
  ASSERT_EQ(kerr("matmul 32 32 32 --cores 1 --record " + record + " --snapshot " + middle + " --snapshot-at 15000").status, 0);
  const auto info = nlohmann::json::parse(kerr("snapshot " + middle + " --json 2>/dev/null").text);
  EXPECT_GE(info["cycle"], 15000);
  EXPECT_LT(info["cycle"], 17000);
  EXPECT_EQ(info["board"], "p100a");
  EXPECT_EQ(info["recorded"], true);
  const auto whole = nlohmann::json::parse(kerr("replay " + record + " --json 2>/dev/null").text);
  const auto rest = nlohmann::json::parse(kerr("replay " + record + " --snapshot " + middle + " --save " + last + " --json 2>/dev/null").text);
  EXPECT_EQ(whole["state_hash"], rest["state_hash"]);
  EXPECT_EQ(whole["end_cycle"], rest["end_cycle"]);
  EXPECT_EQ(whole["begin_cycle"], 0);
  EXPECT_EQ(rest["begin_cycle"], info["cycle"]);
  EXPECT_TRUE(whole["complete"]);
  EXPECT_NE(kerr("replay " + record + " --until 17000").text.find("all as recorded"), std::string::npos);

  const Outcome wrong = kerr("replay " + middle);
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(wrong.text, "kerr: this is no Kerr input log: it does not begin like one\n");
  EXPECT_EQ(kerr("snapshot /no/such/file").text, "kerr: '/no/such/file' cannot be opened: No such file or directory\n");
  for (const std::string& path : {record, middle, last}) std::filesystem::remove(path);
}

// A log of a run in which BRISC pushes SFPNOP with a bit that means nothing.
void record_stray_bits(const std::string& path, bool strict) {
  emu::Machine machine(emu::MachineOptions{.strict = strict});
  emu::InputRecorder recorder(machine, path);
  const auto write = [&](std::uint64_t address, std::uint32_t word) {
    EXPECT_FALSE(machine.write_coordinate(0, 1, 2, address, {reinterpret_cast<const std::uint8_t*>(&word), 4}));
  };
  // lui t0, 0xFFE40; lui t1, 0x8F000; addi t1, t1, 1; sw t1, 0(t0); j .
  std::uint32_t at = 0;
  for (const std::uint32_t word : {0xFFE402B7u, 0x8F000337u, 0x00130313u, 0x0062A023u, 0x0000006Fu}) write(4 * at++, word);
  write(0xFFB121B0, 0x47000);
  machine.advance(1024);
  recorder.finish();
}

TEST(Command, SaysWhatSiliconTakesNoNoticeOfOnStandardErrorAndCountsItInJson) {
  const Scratch log("");
  record_stray_bits(log.path(), false);
  const std::string remark =
      "kerr: remark: SFPNOP ; stray 0x1 (0x8f000001): operand bits 0x000001 of SFPNOP have no meaning; silicon ignores them.";
  const Outcome run = kerr("replay " + log.path());
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(run.text.find(remark), std::string::npos) << run.text;
  EXPECT_EQ(kerr("replay " + log.path() + " 2>/dev/null").text.find("remark"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(kerr("replay " + log.path() + " --json 2>/dev/null").text)["remarks"], 1);
}

TEST(Command, ReplaysAStrictRunAsTheFaultThatItWas) {
  const Scratch log("");
  record_stray_bits(log.path(), true);
  const Outcome run = kerr("replay " + log.path());
  EXPECT_NE(run.text.find("operand bits 0x000001 of SFPNOP have no meaning"), std::string::npos) << run.text;
  EXPECT_EQ(run.text.find("remark:"), std::string::npos);
}

TEST(Command, DisassemblesStrayBitsAndTakesThemBack) {
  EXPECT_NE(kerr("disasm --tensix 38220000").text.find("INCRWC rwc_d=8 ; stray 0x200000"), std::string::npos);
  const Scratch source("INCRWC rwc_d=8 ; stray 0x200000\n");
  EXPECT_NE(kerr("asm " + source.path()).text.find("INCRWC rwc_d=8 ; stray 0x200000"), std::string::npos);
}

TEST(Command, RunsAStrictMatmulWithoutARemark) {
  const Outcome run = kerr("matmul 32 32 32 --strict --json 2>/dev/null");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(nlohmann::json::parse(run.text)["remarks"], 0);
}

}  // namespace
}  // namespace kerr::cli
