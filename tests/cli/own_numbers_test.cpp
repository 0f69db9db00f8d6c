// Numbers of one's own in and out: --a a.npy, --out y.npy, --show, pipes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/command.hpp"
#include "tests/cli/json.hpp"

namespace kerr::cli {
namespace {

// A .npy file of float64, or of another type that takes these bytes.
void write_array(const std::string& path, const std::string& shape, const std::vector<double>& numbers,
                 const std::string& type = "<f8") {
  std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}\n", type, shape);
  std::ofstream file(path, std::ios::binary);
  file.write("\x93NUMPY\x01\x00", 8);
  file.put(static_cast<char>(dictionary.size() & 0xFF));
  file.put(static_cast<char>(dictionary.size() >> 8));
  file << dictionary;
  for (const double number : numbers) file.write(reinterpret_cast<const char*>(&number), sizeof number);
}

nlohmann::json json_of(const std::string& arguments) { return parsed(kerr(arguments + " --json 2>/dev/null").text); }

TEST(OwnNumbers, GoIntoAnExpressionAndComeOut) {
  const Folder folder;
  const std::string a = folder / "a.npy", b = folder / "b.npy", y = folder / "y.npy";
  write_array(a, "(2, 3)", {1, 2, 3, 4, 5, 6});
  write_array(b, "(3,)", {0.5, 0.25, 1000});
  const Outcome outcome = kerr(fmt::format("eval 'a * b' --a {}:fp32 --b {} --format fp32 --out {} --show", a, b, y));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.text.find("(2, 3) float64, as fp32: all 6 exact"), std::string::npos) << outcome.text;
  EXPECT_TRUE(outcome.text.ends_with("[[5.00e-01 5.00e-01 3.00e+03]\n [2.00e+00 1.25e+00 6.00e+03]]\n"))
      << outcome.text;
  EXPECT_NE(outcome.text.find("6 within bounds"), std::string::npos) << outcome.text;
  const Outcome again = kerr(fmt::format("eval 'transpose(y)' --y {} --format fp32 --show", y));
  EXPECT_TRUE(again.text.ends_with("[[5.00e-01 2.00e+00]\n [5.00e-01 1.25e+00]\n [3.00e+03 6.00e+03]]\n"))
      << again.text;
}

TEST(OwnNumbers, SayWhatTheirConversionHasDone) {
  const Folder folder;
  const std::string a = folder / "a.npy";
  write_array(a, "(1, 4)", {1, 0.1, 1e39, -2});
  const nlohmann::json json = json_of(fmt::format("eval 'a + 0' --a {}", a));
  EXPECT_EQ(json.at("own_operands").at("a").at("rounded"), 1);
  EXPECT_EQ(json.at("own_operands").at("a").at("beyond"), 1);
  EXPECT_EQ(json.at("own_operands").at("a").at("format"), "bf16");
  EXPECT_EQ(json.at("verdict"), "verified");
  EXPECT_NE(
      kerr(fmt::format("eval 'a + 0' --a {}", a)).text.find("as bf16: 1 of 4 rounded, 1 beyond its largest number"),
      std::string::npos);
}

TEST(OwnNumbers, WithNaNAndInfinityAreVerified) {
  const Folder folder;
  const std::string a = folder / "a.npy";
  write_array(a, "(2, 4)", {1, 0.0 / 0.0, 1 / 0.0, -1 / 0.0, 2, 3, 4, 5});
  for (const char* expression : {"a * 2", "max(a, 0)", "exp(a)", "rowsum(a)", "a @ transpose(a)", "transpose(a)"}) {
    for (const char* format : {"bf16", "fp32"}) {
      const Outcome outcome =
          kerr(fmt::format("eval '{}' --a {} --format {} --json 2>/dev/null", expression, a, format));
      EXPECT_EQ(outcome.status, 0) << expression << outcome.text;
      EXPECT_EQ(outcome.text.find(": nan"), std::string::npos) << expression << outcome.text;
    }
  }
  const Outcome product = kerr(fmt::format("matmul --a {} 2 4 4 --b {}", a, a));
  EXPECT_EQ(product.status, 2) << "B has two rows";
  for (const char* options : {"", "--fp32 --out fp32"}) {
    const Outcome matmul = kerr(fmt::format("matmul 2 3 4 --a {} {}", a, options));
    EXPECT_EQ(matmul.status, 0) << matmul.text;
  }
  const Outcome none = kerr(fmt::format("eval 'a * 2' --a {}:bfp8", a));
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.text.find("has 3 NaN or infinities, of which bfp8 has none"), std::string::npos) << none.text;
}

TEST(OwnNumbers, KeepTheirTypeIfTheyAreIntegers) {
  const Folder folder;
  const std::string n = folder / "n.npy", y = folder / "y.npy";
  ASSERT_EQ(kerr("eval 'iota(2, 4) * 1000000 - 3' --out " + n).status, 0);
  EXPECT_NE(content_of(n).find("'<i4'"), std::string::npos);
  const Outcome outcome = kerr(fmt::format("eval 'n % 7 << 2' --n {} --out {} --show", n, y));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.text.find("int32, as int32: all 8 exact"), std::string::npos) << outcome.text;
  EXPECT_NE(content_of(y).find("'<i4'"), std::string::npos);
}

TEST(OwnNumbers, PassThroughPipes) {
  const std::string first = KERR_COMMAND " eval 'iota(2, 3) * 2' --out - 2>/dev/null | ";
  const Outcome outcome = shell(first + KERR_COMMAND " eval 'x + 1' --x - --show 2>/dev/null");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(outcome.text.ends_with("[[ 1  3  5]\n [ 7  9 11]]\n")) << outcome.text;
  const Outcome bytes = shell(KERR_COMMAND " matmul 2 2 2 --out - --show 2>/dev/null | head -c 6 | tail -c 5");
  EXPECT_EQ(bytes.text, "NUMPY");
  const Outcome report =
      shell("(" KERR_COMMAND " matmul 2 2 2 --out - --json >/dev/null) 2>&1 | grep -c '\"verified\": true'");
  EXPECT_EQ(report.text, "1\n") << "the report goes to standard error";
  const Outcome mixed = kerr("matmul 2 2 2 --out - | cat");
  EXPECT_NE(mixed.text.find("standard error goes there, too"), std::string::npos) << mixed.text;
}

TEST(OwnNumbers, GiveAProductItsSizes) {
  const Folder folder;
  const std::string a = folder / "a.npy", b = folder / "b.npy", c = folder / "c.npy", y = folder / "y.npy";
  write_array(a, "(2, 3)", {1, 2, 3, 4, 5, 6});
  write_array(b, "(3, 2)", {1, 0, 0, 1, 1, 1});
  write_array(c, "(2, 1, 3)", {1, 2, 3, 4, 5, 6});
  const Outcome outcome = kerr(fmt::format("matmul --a {} --b {} --out {}:fp32 --show", a, b, y));
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_NE(outcome.text.find("matmul 2 x 2 x 3 (M N K), bf16 to fp32"), std::string::npos) << outcome.text;
  EXPECT_TRUE(outcome.text.ends_with("[[ 4.  5.]\n [10. 11.]]\n")) << outcome.text;
  EXPECT_NE(content_of(y).find("'shape': (2, 2)"), std::string::npos);
  EXPECT_EQ(json_of(fmt::format("matmul 2 7 3 --a {}", a)).at("requested"),
            (nlohmann::json{{"m", 2}, {"n", 7}, {"k", 3}}));
  const Outcome batch = kerr(fmt::format("matmul 1 1 3 --a {} --b {} --show", c, c));
  EXPECT_NE(batch.text.find("N is 1 by the command line and 3 by --b"), std::string::npos) << batch.text;
  write_array(b, "(2, 3, 1)", {1, 0, 0, 1, 1, 1});
  const Outcome two = kerr(fmt::format("matmul --a {} --b {} --show", c, b));
  EXPECT_EQ(two.status, 0) << two.text;
  EXPECT_TRUE(two.text.ends_with("[[[ 1.]]\n\n [[15.]]]\n")) << two.text;
  for (const auto& [arguments, sentence] :
       {std::pair{fmt::format("matmul --a {}", a), "N is required, as a number or from --a and --b"},
        {fmt::format("matmul 5 --a {} --b {}", a, a), "M is 5 by the command line and 2 by --a"},
        {fmt::format("matmul --a {} --b {}", a, c), "K is 3 by --a"},
        {fmt::format("matmul --a {} --b {} --batch 3", c, b), "--batch is 3 by the command line and 2 by --a"},
        {fmt::format("eval 'x @ x' --x {}", c), "is a batch of 2 matrices"},
        {fmt::format("eval 'x @ x' --x {}", a), "2x3"}}) {
    const Outcome wrong = kerr(arguments);
    EXPECT_EQ(wrong.status, 2) << arguments;
    EXPECT_NE(wrong.text.find(sentence), std::string::npos) << arguments << "\n" << wrong.text;
  }
}

TEST(OwnNumbers, NothingIsLostByAWrongCommandLine) {
  const Folder folder;
  const std::string a = folder / "a.npy", text = folder / "text.npy", missing = folder / "missing.npy";
  write_array(a, "(2, 2)", {1, 2, 3, 4});
  std::ofstream(text) << "1 2\n3 4\n";
  const std::string before = content_of(a);
  for (const auto& [arguments, sentence] :
       {std::pair{fmt::format("eval 'a * 2' --a {} --out {}", a, a), "is also what --a reads"},
        {fmt::format("matmul --a {} --b {} --out {}", a, a, a), "is also what --a reads"},
        {fmt::format("eval 'a * 2' --a {} --out {} --out {}", a, missing, a), "--out is given twice"},
        {fmt::format("eval 'a * 2' --a {} --out /nosuch/y.npy", a), "/nosuch/y.npy"},
        {fmt::format("eval 'a * 2' --a {} --out y", a), "ends in .npy"},
        {fmt::format("eval 'a * 2' --a {} --out {} --record {}", a, missing, missing), "are one file"},
        {fmt::format("eval 'a * 2' --a {}:0..1", a), "a range is for random numbers"},
        {fmt::format("eval 'a * 2' --a {}:fp33", a), "no format is named 'fp33'"},
        {fmt::format("eval 'a * 2' --a {}", missing), "No such file or directory"},
        {fmt::format("eval 'a * 2' --a {}", text), "is no .npy file"},
        {std::string("eval 'a * 2' --a / "), "cannot be read: Is a directory"},
        {std::string("eval 'a + b' --a - --b - </dev/null"), "--a and --b both read standard input"},
        {std::string("matmul --a - --b - </dev/null"), "--a and --b both read standard input"},
        {std::string("eval 'a * 2' --a - </dev/null"), "standard input was cut off"},
        {fmt::format("eval 'a * 2' --a {} --show --json", a), "--show"},
        {fmt::format("matmul 2 2 2 --a {} --out int33", a), "int33 not in {fp32,fp16,bf16,bfp8,bfp4,int32}"},
        {fmt::format("matmul 2 2 2 --a {} --out int16", a), "int16 not in {fp32,fp16,bf16,bfp8,bfp4,int32}"},
        {fmt::format("matmul 2 2 2 --a {} --out {} --explain", a, missing), "--explain"},
        {fmt::format("matmul 2 2 2 --a {}", missing), "there is no file"},
        {fmt::format("matmul 2 2 2 --out - --out -"), "--out is given twice"}}) {
    const Outcome outcome = kerr(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_TRUE(outcome.text.find("kerr: ") != std::string::npos) << arguments << "\n" << outcome.text;
    EXPECT_NE(outcome.text.find(sentence), std::string::npos) << arguments << "\n" << outcome.text;
  }
  EXPECT_EQ(content_of(a), before);
  EXPECT_FALSE(std::filesystem::exists(missing));
}

TEST(OwnNumbers, ThatCannotBeWrittenAreAnError) {
  const Folder folder;
  if (std::filesystem::exists("/dev/full")) {
    const Outcome full = shell("(" KERR_COMMAND " matmul 64 64 64 --out - >/dev/full) 2>&1");
    EXPECT_EQ(full.status, 2);
    EXPECT_NE(full.text.find("standard output cannot be written: No space left on device"), std::string::npos)
        << full.text;
  }
  EXPECT_EQ(shell("(" KERR_COMMAND " matmul 64 64 64 --out - >&-) 2>&1").status, 2);
  const Outcome limited = kerr_with("ulimit -f 1", "matmul 64 64 64 --out " + (folder / "y.npy"));
  EXPECT_EQ(limited.status, 2);
  EXPECT_NE(limited.text.find("y.npy' cannot be written: File too large"), std::string::npos) << limited.text;
  EXPECT_EQ(folder.files(), 0u);
}

TEST(OwnNumbers, AreShownInAnyShape) {
  for (const auto& [shape, end] : {std::pair{"1, 1", "[[0]]\n"},
                                   {"1, 3", "[[0 1 2]]\n"},
                                   {"3, 1", "[[0]\n [1]\n [2]]\n"},
                                   {"1, 5000", "[[   0    1    2 ... 4997 4998 4999]]\n"},
                                   {"2000, 1", " ...\n [1997]\n [1998]\n [1999]]\n"}}) {
    const Outcome outcome = kerr(fmt::format("eval 'iota({}) + 0' --show", shape));
    EXPECT_TRUE(outcome.text.ends_with(end)) << shape << "\n" << outcome.text;
  }
}

}  // namespace
}  // namespace kerr::cli
