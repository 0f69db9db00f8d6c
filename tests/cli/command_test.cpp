// The command as a shell sees it: what it says, and its exit status.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "arch/bytes.hpp"
#include "cli/syntax/help.hpp"
#include "cli/messages.hpp"
#include "cli/version.hpp"
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
  while (const size_t bytes = std::fread(part, 1, sizeof part, pipe)) outcome.text.append(part, bytes);
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
      {"cq", "'kerr cq' needs a command: dump.  Try 'kerr cq --help'"},
      {"cq -", "'kerr cq' has no command '-'"},
      {"kernel nosuch", "it has show"},
      {"-1", "'kerr' has no command '-1'"},
      {"matmul 8 8 8 --board", "--board needs a value: {p100a,p150}.  Try 'kerr matmul --help'"},
      {"matmul 8 8 8 --snapshot --json", "--snapshot needs a value: FILE"},
      {"matmul 8 8 8 --board p150 --board p150", "--board is given twice"},
      {"asm x -o y --output z", "--output is given twice"},
      {"matmul 8 8 8 --json=false", "--json takes no value"},
      {"matmul 8 8 8 --no-parking=0", "--no-parking takes no value"},
      {"matmul -inf 8 8", "'kerr matmul' has no option '-inf'"},
      {"replay -xyz", "'kerr replay' has no option '-xyz'"},
      {"matmul 8 8 8 --board=", "--board: it must not be empty.  Try 'kerr matmul --help'"},
      {"matmul 8 8 8 --batch 4097", "--batch must be from 1 to 4096"},
      {"matmul 8 8 8 --explain --record x", "--record"},
      {"matmul 8 8 8 --explain --device 0", "--device"},
      {"asm /dev/null --json -o y", "--output excludes --json"},
      {"eval x*2 --x 32X32 --x", "Try 'kerr eval --help'"},
      {"eval x*2 --x 8x8 --low 5", "--low 5 is above --high 1, of which one is the default"},
      {"eval x*2 --x 8x8 --high -5", "--low -1 is above --high -5"},
      {"cq dump /nosuch", "/nosuch"},
      {"matmul", "M is required"},
      {"matmul 1 2 3 4", "4"},
      {"matmul a 2 3", "M = a"},
      {"matmul 8 8 -3", "K must be from 1"},
      {"matmul 8 8 8 --cores 0", "--cores"},
      {"matmul 8 8 8 --threads 257", "--threads"},
      {"matmul 8 8 8 --timing sloppy", "--timing"},
      {"matmul 8 8 8 --fidelity 5", "{lofi,hifi2,hifi3,hifi4}"},
      {"matmul 8 8 99999999999999999999", "K must be from 1 to 1048576, not 99999999999999999999"},
      {"matmul 8 8 1e3", "K = 1e3 is no whole number"},
      {"matmul 8 8 8 --seed -1", "--seed must be from 0 to 2^64 - 1, not -1"},
      {"matmul 8 8 8 --noc-reorder 18446744073709551616", "--noc-reorder must be from 0 to 2^64 - 1"},
      {"matmul 8 8 8 --snapshot x --snapshot-at -1", "--snapshot-at must be from 0"},
      {"replay x --until -1", "--until must be from 0"},
      {"cq dump --region " KERR_COMMAND " --issue-bytes -1", "--issue-bytes must be from 64"},
      {"asm - --base 0x100000000", "--base must be from 0 to 4294967295"},
      {"matmul 8 8 8 --record ''", "--record: it must not be empty"},
      {"matmul 8 8 8 --record=", "--record: it must not be empty"},
      {"matmul 8 8 8 --epilogue ''", "--epilogue: it must not be empty"},
      {"matmul 8 8 8 --trac x", "'kerr matmul' has no option '--trac'; did you mean '--trace'?"},
      {"matmull 8 8 8", "'kerr' has no command 'matmull'; did you mean 'matmul'?"},
      {"cq dmup x", "'kerr cq' has no command 'dmup'; did you mean 'dump'?  Try 'kerr cq --help'"},
      {"cq dump --nosuch " KERR_COMMAND, "Try 'kerr cq dump --help'"},
      {"timing show --clok 5", "did you mean '--clock'?  Try 'kerr timing show --help'"},
      {"kernel show matmul 8 8 8 --in int8", "'kerr kernel show' has no option '--in'"},
      {"kernel show matmul 8 8", "takes M, N and K"},
      {"kernel show matmul 8 8 0", "K must be from 1"},
      {"kernel show x 8", "only 'kernel show matmul' takes sizes"},
      {"eval x --x 8x8 --explain", "'kerr eval' has no option '--explain', and the expression has no 'explain'"},
      {"eval x --x 8x8 --trace t.json", "'kerr eval' has no option '--trace'"},
      {"eval x --x 8x8 --forma fp32", "did you mean '--format'?"},
      {"eval x --x", "--x needs a shape"},
      {"eval x --x 8x8 --x 9x9", "--x is given twice"},
      {"eval x y --x 8x8", "'y' is one operand too many"},
      {"eval x --x 8x8 --low nan", "--low = nan is no finite number"},
      {"eval x --x 8x8 --low 1 --high -1", "--low 1 is above --high -1"},
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
  EXPECT_EQ(json.at("executed"), (nlohmann::json{{"m", 5120}, {"n", 5632}, {"k", 4096}}));
  EXPECT_EQ(json.at("requested"), json.at("executed"));
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
  EXPECT_EQ(json.at("requested"), (nlohmann::json{{"m", 33}, {"n", 65}, {"k", 1}}));
  EXPECT_EQ(json.at("executed"), (nlohmann::json{{"m", 64}, {"n", 96}, {"k", 32}}));
  EXPECT_EQ(nlohmann::json::parse(kerr("info --board p150 --json").text).at("workers"), 138);
}

// Row 21 of the trial: the same product, the same bits, one verdict.
TEST(Command, MatmulAndEvalJudgeTheSameProductAlike) {
  for (const char* size : {"1 1 4096", "1 1 16384", "32 32 4096"}) {
    int64_t m = 0, n = 0, k = 0;
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
               {"0..1:2..3", "a range is given twice"},
               {"fp32:fp16", "a format is given twice"},
               {"int32:0.5..0.7", "where there is none"},
               {"int8:0..1000", "int8 holds -127 to 127"},
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

// What an epilogue makes of sums is judged as what an expression makes of them.
TEST(Command, InfinitiesNaNAndZerosOfEpiloguesAreJudged) {
  for (const char* epilogue : {"x/0", "0/0*x", "recip(x)", "log(x)", "sqrt(x)", "x*1e38*1e3", "x*1e-40", "max(x, 0/0)",
                               "where(x > 0, 1/0, x)", "tan(x*100)", "exp(x*100)", "-x"}) {
    for (const char* options : {"", "--fp32 --out fp32"}) {
      const Outcome outcome = kerr(fmt::format("matmul 32 32 32 --epilogue '{}' {} 2>/dev/null", epilogue, options));
      EXPECT_EQ(outcome.status, 0) << epilogue << " " << options << outcome.text;
      EXPECT_EQ(outcome.text.find("PCC nan"), std::string::npos) << outcome.text;
      EXPECT_EQ(outcome.text.find("PCC -nan"), std::string::npos) << outcome.text;
    }
  }
}

// Of 2,000 random products these kinds were called wrong, though every bit was right.
TEST(Command, ProductsAreNotCalledWrongWhereFormatsRoundOddly) {
  for (const char* arguments :
       {"33 31 65 --in bfp4 --out fp16 --fp32", "7 1 16 --in bf16 --out bfp8 --seed 923",
        "200 128 16 --in bfp4 --out fp32 --seed 618 --fidelity hifi4", "64 257 1 --in fp16 --out fp16 --seed 873",
        "200 257 1 --in fp16 --out fp16 --seed 11 --fp32 --batch 2",
        "200 100 1 --in fp16 --out fp32 --seed 999 --fp32 --fidelity hifi3 --bias --batch 3",
        "16 257 64 --in bfp4 --out fp16 --seed 463 --fp32 --epilogue tanh(x)",
        "31 33 257 --in bfp4 --out fp32 --seed 791 --fp32 --fidelity hifi4",
        "1 33 100 --in fp32 --out fp16 --seed 155 --fidelity lofi --bias --epilogue floor(x)",
        "2 7 128 --in bfp4 --out fp16 --seed 474 --fp32 --epilogue x*1e20",
        "32 31 200 --in bf16 --out fp16 --seed 449 --fp32 --bias --epilogue sqrt(x)",
        "128 32 16 --in bfp8 --out bf16 --seed 42 --fp32 --fidelity hifi3 --bias --epilogue gelu(x)"}) {
    std::string line(arguments);
    if (const size_t epilogue = line.find("--epilogue "); epilogue != std::string::npos)
      line = line.substr(0, epilogue + 11) + "'" + line.substr(epilogue + 11) + "'";
    const Outcome outcome = kerr("matmul " + line + " 2>/dev/null");
    EXPECT_EQ(outcome.status, 0) << arguments << "\n" << outcome.text;
  }
}

TEST(Command, EvalSaysWhatItHasNotToShow) {
  const Outcome products = kerr("eval x@x --x 32x32 --show");
  EXPECT_EQ(products.status, 0);
  EXPECT_NE(products.text.find("'kerr kernel show' prints the others"), std::string::npos) << products.text;
  EXPECT_NE(kerr("eval x*inf --x 32x32").text.find("infinity is written 1/0"), std::string::npos);
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

TEST(Command, CqDumpDecodesAQueueAndNamesTheOffsetOfBadBytes) {
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
  EXPECT_NE(wrong.text.find(region.path()), std::string::npos) << wrong.text;
  EXPECT_NE(wrong.text.find("needs '--region'"), std::string::npos) << wrong.text;
  for (const char* arguments : {"--offset 99999999999 ", "--region --issue-bytes 2000000000 "}) {
    const Outcome beyond = kerr(std::string("cq dump ") + arguments + region.path());
    EXPECT_EQ(beyond.status, 2) << arguments;
    EXPECT_NE(beyond.text.find(region.path() + "' has "), std::string::npos) << beyond.text;
  }
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

  const Outcome before = kerr("replay " + record + " --snapshot " + middle + " --until 5");
  EXPECT_EQ(before.status, 2);
  EXPECT_NE(before.text.find("--until 5 lies before cycle"), std::string::npos) << before.text;
  const Outcome wrong = kerr("replay " + middle);
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(wrong.text, "kerr: '" + middle + "': this is no Kerr input log: it does not begin like one\n");
  const Outcome pipe = kerr("--version; cat " + record + " | " KERR_COMMAND " replay /dev/stdin 2>&1");
  EXPECT_NE(pipe.text.find("'/dev/stdin' is no file"), std::string::npos) << pipe.text;
  EXPECT_EQ(kerr("snapshot /no/such/file").text, "kerr: '/no/such/file' cannot be opened: No such file or directory\n");
  for (const std::string& path : {record, middle, last}) std::filesystem::remove(path);
}

// A log of a run in which BRISC pushes SFPNOP with a bit that means nothing.
void record_stray_bits(const std::string& path, bool strict) {
  emu::Machine machine(emu::Options{.strict = strict});
  emu::InputRecorder recorder(machine, path);
  const auto write = [&](uint64_t address, uint32_t word) {
    EXPECT_FALSE(machine.write_coordinate(0, 1, 2, address, arch::as_uint8(word)));
  };
  // lui t0, 0xFFE40; lui t1, 0x8F000; addi t1, t1, 1; sw t1, 0(t0); j .
  uint32_t at = 0;
  for (const uint32_t word : {0xFFE402B7u, 0x8F000337u, 0x00130313u, 0x0062A023u, 0x0000006Fu}) write(4 * at++, word);
  write(0xFFB121B0, 0x47000);
  machine.advance(1024);
  recorder.finish();
}

TEST(Command, PrintsRemarksOnStandardErrorAndCountsThemInJson) {
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

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A folder of a test's own.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              (std::string("kerr_folder_") + testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directory(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const char* name) const { return (path_ / name).string(); }
  size_t files() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

TEST(Command, RefusesAnOutputThatIsAnInputOrAnotherOutput) {
  const Folder folder;
  const std::string source = folder / "my.s", link = folder / "link.s", hard = folder / "hard.s";
  std::ofstream(source) << "nop\n";
  std::filesystem::create_symlink(source, link);
  std::filesystem::create_hard_link(source, hard);
  for (const std::string& output : {source, folder / "./my.s", link, hard}) {
    const Outcome outcome = kerr("asm " + source + " -o " + output);
    EXPECT_EQ(outcome.status, 2) << output;
    EXPECT_NE(outcome.text.find("is also what FILE reads"), std::string::npos) << outcome.text;
    EXPECT_EQ(content_of(source), "nop\n") << output;
  }
  const std::string log = folder / "a.log";
  ASSERT_EQ(kerr("matmul 8 8 8 --cores 1 --record " + log).status, 0);
  const std::string recorded = content_of(log);
  EXPECT_EQ(kerr("replay " + log + " --save " + log).status, 2);
  EXPECT_EQ(content_of(log), recorded);
  const std::string two = "matmul 8 8 8 --timing exact --trace " + (folder / "x.y");
  for (const std::string& other : {folder / "x.y", folder / "../kerr_folder_RefusesAnOutputThatIsAnInputOrAnotherOutputHoweverItIsSpelled/x.y"})
    EXPECT_NE(kerr(two + " --heat-map " + other).text.find("are one file"), std::string::npos) << other;
  EXPECT_NE(kerr("matmul 8 8 8 --record " + (folder / "x") + " --snapshot " + (folder / "x.part")).text.find("are one file"),
            std::string::npos)
      << "x is written as x.part first";
  EXPECT_NE(kerr("matmul 8 8 8 --record " + (folder / "out") + " >" + (folder / "out")).status, 0)
      << "standard output is that file";
  EXPECT_EQ(kerr("asm " + source + " -o /dev/null").status, 0) << "nothing can be lost there";
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(Command, RefusesAnOutputThatIsMixedWithTheReportOrHasNoName) {
  const Folder folder;
  EXPECT_NE(
      shell(KERR_COMMAND " matmul 8 8 8 --record /dev/stdout 2>&1 | cat").text.find("is where standard output goes"),
      std::string::npos);
  EXPECT_NE(kerr("matmul 8 8 8 --record -").text.find("'-' is none"), std::string::npos);
  const std::string source = folder / "my.s";
  std::ofstream(source) << "nop\n";
  EXPECT_EQ(shell(KERR_COMMAND " asm " + source + " -o /dev/stdout 2>/dev/null | wc -c").text, "4\n");
}

TEST(Command, NamesThePartThatIsInTheWayOfAnOutput) {
  const Folder folder;
  const std::string log = folder / "a.log";
  std::filesystem::create_directory(log + ".part");
  EXPECT_NE(kerr("matmul 8 8 8 --cores 1 --record " + log).text.find("a.log.part' is no file"), std::string::npos);
}

TEST(Command, AFileThatGrowsBeyondItsLimitIsNamedAndLeavesNoCutFile) {
  const Folder folder;
  const Outcome outcome = kerr_with("ulimit -f 1", "matmul 8 8 8 --cores 1 --snapshot " + (folder / "a.snap"));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.text.find("a.snap' cannot be written: File too large"), std::string::npos) << outcome.text;
  EXPECT_EQ(folder.files(), 0u);
}

TEST(Command, SaysThatARunEndedBeforeItsSnapshotWasDue) {
  const Folder folder;
  const Outcome outcome = kerr("matmul 8 8 8 --cores 1 --snapshot-at 99999999 --snapshot " + (folder / "a.snap"));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.text.find("before --snapshot-at 99999999"), std::string::npos) << outcome.text;
}

TEST(Command, AFileThatAnotherProcessWritesIsRefused) {
  const Folder folder;
  const std::string log = folder / "a.log";
  const Outcome outcome = kerr("matmul 8 8 8 --record " + log + " --trace /dev/null --timing exact --json >/dev/null 2>&1 & first=$!; "
                               "until [ -s " + log + ".part ]; do kill -0 $first || break; done; kill -STOP $first; " KERR_COMMAND
                               " matmul 8 8 8 --record " + log + " 2>&1; echo status $?; kill -CONT $first; wait $first; echo first $?");
  EXPECT_NE(outcome.text.find("another process is writing it now"), std::string::npos) << outcome.text;
  EXPECT_NE(outcome.text.find("status 2"), std::string::npos) << outcome.text;
  EXPECT_NE(outcome.text.find("first 0"), std::string::npos) << outcome.text;
  EXPECT_EQ(kerr("replay " + log).status, 0);
  EXPECT_EQ(folder.files(), 1u);
}

TEST(Command, WritesNoMessagesIntoFilesWhenStandardStreamsAreClosed) {
  const Folder folder;
  const std::string log = folder / "a.log";
  EXPECT_EQ(kerr("matmul 8 8 8 --record " + log + " 2>&- <&- >/dev/null").status, 0);
  const Outcome replayed = kerr("replay " + log);
  EXPECT_EQ(replayed.status, 0) << replayed.text;
}

TEST(Command, AFullDiskIsNamedAndLeavesNoCutFile) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  const Scratch source("nop\n");
  EXPECT_NE(kerr("asm " + source.path() + " -o /dev/full").text.find("No space left on device"), std::string::npos);
  for (const char* option : {"--save-queue", "--record", "--snapshot", "--timing exact --trace", "--timing exact --heat-map"}) {
    const Outcome outcome = kerr(std::string("matmul 8 8 8 --cores 1 ") + option + " /dev/full");
    EXPECT_EQ(outcome.status, 2) << option;
    EXPECT_NE(outcome.text.find("No space left on device"), std::string::npos) << option << outcome.text;
  }
  const Outcome absent = kerr("matmul 8 8 8 --timing exact --trace /nosuch/t.json");
  EXPECT_EQ(absent.status, 2);
  EXPECT_EQ(absent.text.find("booting"), std::string::npos) << "it is refused before anything runs";
}

TEST(Command, ReadsPipesAndStandardInput) {
  EXPECT_NE(kerr("asm - </dev/null && echo 'addi a0, a0, 1' | " KERR_COMMAND " asm -").text.find("00150513"), std::string::npos);
  EXPECT_NE(kerr("--version; echo nop | " KERR_COMMAND " asm /dev/stdin").text.find("nop"), std::string::npos);
  EXPECT_NE(kerr("--version; printf '\\023\\005\\025\\000' | " KERR_COMMAND " disasm -").text.find("addi a0, a0, 1"),
            std::string::npos);
  EXPECT_NE(kerr("--version; " KERR_COMMAND " timing show --json | " KERR_COMMAND
                 " timing show --timing-parameters -").text.find("noc_hop"), std::string::npos);
}

TEST(Command, ExplainRefusesWhatCannotRun) {
  for (const char* arguments : {"1000000 1000000 1000000", "8 8 8 --utilisation", "8 8 8 --in fp32 --out bfp4 --epilogue 'y'"}) {
    const Outcome explained = kerr(std::string("matmul --explain ") + arguments), run = kerr(std::string("matmul ") + arguments);
    EXPECT_EQ(explained.status, 2) << arguments;
    EXPECT_EQ(explained.text, run.text) << "nothing has been booted either";
  }
}

TEST(Command, AnExpressionMayBeginWithASign) {
  for (const char* arguments : {"-x --x 8x8", "--x 8x8 -- -x", "--x=8x8 -x", "'~n' --n 8x8:int32", "'-x + 1' --x 8x8"}) {
    const Outcome outcome = kerr(std::string("eval --json --threads 1 ") + arguments + " 2>/dev/null");
    EXPECT_EQ(outcome.status, 0) << arguments << outcome.text;
  }
  EXPECT_EQ(kerr("kernel show -x --x 8x8 --stream unpack").status, 0);
}

TEST(Command, MistakesInAnExpressionAreShownBeforeTheName) {
  EXPECT_NE(kerr("eval 'x + y * 2' --x 8x8").text.find("at character 5: x + <here>y * 2"), std::string::npos);
  EXPECT_NE(kerr("eval 'x + sine(x)' --x 8x8").text.find("x + <here>sine(x)"), std::string::npos);
}

TEST(Command, EveryJsonNamesVersionAndCommit) {
  for (const char* arguments :
       {"eval --operations --json", "eval x*x --x 8x8 --show --json", "isa --json", "isa --formats --json", "map --json",
        "info --json", "timing show --json", "devices --json", "disasm 0x13 --json", "kernel show x*x --x 8x8 --json",
        "matmul 8 8 8 --explain --json", "matmul 8 8 8 --json 2>/dev/null", "eval x*x --x 8x8 --json 2>/dev/null", "smi --json"}) {
    const Outcome outcome = kerr(arguments);
    EXPECT_EQ(outcome.status, 0) << arguments;
    const nlohmann::json json = nlohmann::json::parse(outcome.text, nullptr, false);
    ASSERT_TRUE(json.is_object()) << arguments << outcome.text.substr(0, 300);
    EXPECT_EQ(json.value("version", ""), std::string(version())) << arguments;
    EXPECT_EQ(json.value("commit", ""), std::string(commit())) << arguments;
  }
  EXPECT_EQ(kerr("--version").text, version_text() + "\n");
}

TEST(Command, HelpFitsTheTerminalAndHasExamplesForEachCommand) {
  for (const char* command : {"", "matmul", "eval", "kernel", "kernel show", "replay", "snapshot", "info", "devices", "smi", "reset",
                              "asm", "disasm", "isa", "map", "cq", "cq dump", "timing", "timing show"}) {
    for (const int columns : {40, 60, 80, 120}) {
      const Outcome outcome = kerr(fmt::format("--version >/dev/null; COLUMNS={} {} {} --help", columns, KERR_COMMAND, command));
      EXPECT_EQ(outcome.status, 0);
      EXPECT_NE(outcome.text.find("Example"), std::string::npos) << command;
      for (size_t at = 0; at < outcome.text.size();) {
        const size_t end = outcome.text.find('\n', at);
        const std::string line = outcome.text.substr(at, end - at);
        // A quoted expression stays whole.
        if (line.find('"') == std::string::npos) {
          EXPECT_LE(line.size(), static_cast<size_t>(columns)) << command << "\n" << line;
        }
        at = end + 1;
      }
    }
  }
  EXPECT_NE(kerr("matmul --help").text.find("\nEmulator:\n"), std::string::npos);
}

TEST(Command, DisassemblesSectionsOfAnElfFileWithItsSymbols) {
  const std::string firmware = KERR_FIRMWARE "/brisc.elf";
  if (!std::filesystem::exists(firmware)) GTEST_SKIP();
  const Outcome outcome = kerr("disasm " + firmware);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(outcome.text.starts_with("section .text\n")) << outcome.text.substr(0, 200);
  EXPECT_EQ(outcome.text.find("464c457f"), std::string::npos) << "the ELF header";
  EXPECT_NE(outcome.text.find("_start:\n"), std::string::npos);
  EXPECT_NE(kerr("disasm --base 0x100 " + firmware).text.find("which has its own addresses"), std::string::npos);
}

TEST(Command, CtrlCFinishesTheLogOfARunSoThatItCanBeReplayed) {
  const Folder folder;
  const std::string log = folder / "a.log";
  const Outcome outcome = kerr("matmul 2048 2048 4096 --threads 1 --record " + log + " 2>&1 & run=$!; "
                               "until [ -s " + log + ".part ]; do kill -0 $run || break; done; sleep 0.3; kill -TERM $run; wait $run; echo status $?");
  EXPECT_NE(outcome.text.find("status 143"), std::string::npos) << outcome.text;
  EXPECT_NE(outcome.text.find("holds the run up to there"), std::string::npos) << outcome.text;
  EXPECT_EQ(kerr("replay " + log).status, 0);
}

TEST(Command, ALogWhoseRunWasKilledIsReplayedAsFarAsItGoes) {
  const Folder folder;
  const std::string log = folder / "a.log", part = log + ".part";
  ASSERT_EQ(kerr("matmul 512 512 32 --record " + log).status, 0);
  const std::string whole = content_of(log);
  for (const size_t bytes : {whole.size() / 2, whole.size() / 4}) {
    std::ofstream(part, std::ios::binary) << whole.substr(0, bytes);
    const Outcome outcome = kerr("replay " + part);
    EXPECT_EQ(outcome.status, 0) << outcome.text;
    EXPECT_NE(outcome.text.find("has no end: its run was killed"), std::string::npos) << outcome.text;
    EXPECT_NE(outcome.text.find("where the log was cut off"), std::string::npos) << outcome.text;
  }
  std::ofstream(folder / "cut.log", std::ios::binary) << whole.substr(0, whole.size() / 2);
  EXPECT_EQ(kerr("replay " + (folder / "cut.log")).status, 2) << "a finished log that was cut is damaged";
}

TEST(Command, SnapshotRefusesAFileWithAFlippedBit) {
  const Folder folder;
  const std::string file = folder / "end.snap";
  ASSERT_EQ(kerr("matmul 8 8 8 --cores 1 --snapshot " + file).status, 0);
  EXPECT_NE(kerr("snapshot " + file).text.find("all checksums right"), std::string::npos);
  std::string bytes = content_of(file);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  std::ofstream(file, std::ios::binary) << bytes;
  const Outcome outcome = kerr("snapshot " + file);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.text.find("damaged"), std::string::npos) << outcome.text;
}

TEST(Command, ABoardMayBeGivenTheNameThatItGivesItself) {
  EXPECT_EQ(nlohmann::json::parse(kerr("smi --board p150a --json").text).at("board"), "p150a");
  EXPECT_NE(kerr("smi").text.find("800 MHz  idle: 1350 while programs run"), std::string::npos);
}

TEST(Help, CommandsAreCutWhereAShellGoesOn) {
  EXPECT_EQ(wrapped_command("  kerr eval \"a @ b\" --a 8x8 --b 8x8", 26), "  kerr eval \"a @ b\" --a \\\n      8x8 --b 8x8");
  EXPECT_EQ(wrapped("one two three", 8, 0, 2), "one two\n  three");
}

}  // namespace
}  // namespace kerr::cli
