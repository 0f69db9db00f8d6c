// Random programs whose results agreed with the reference simulator (ttsim 1.10.0 for Blackhole) when programs.txt was
// recorded:
//   datapath_fuzz TTSIM.so 60 1 --record tests/emu/tensix/datapath/programs.txt
// A line holds topic, seed, and the CRC-32 of the script and of the output area.
#include <fstream>
#include <sstream>

#include "arch/bytes.hpp"
#include "tests/emu/tensix/datapath/lone_script.hpp"
#include "tests/emu/tensix/datapath/program_maker.hpp"

namespace kerr::emu {
namespace {

uint32_t text_crc(const std::string& text) { return crc32(arch::as_uint8(text)); }

class RecordedPrograms : public testing::TestWithParam<Topic> {};

TEST_P(RecordedPrograms, GiveTheRecordedResult) {
  std::ifstream file(KERR_SOURCE_DIR "/tests/emu/tensix/datapath/programs.txt");
  ASSERT_TRUE(file);
  unsigned found = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string topic;
    uint64_t seed = 0;
    uint32_t script_crc = 0, output_crc = 0;
    fields >> topic >> seed >> std::hex >> script_crc >> output_crc;
    if (topic != name(GetParam())) continue;
    ++found;
    const std::string script = ProgramMaker(GetParam(), seed).make();
    ASSERT_EQ(text_crc(script), script_crc) << "the generator has changed: record programs.txt again";
    const LoneScriptResult result = run_lone_script(script + "dump " + std::to_string(ProgramMaker::kOutput) + " " +
                                                    std::to_string(ProgramMaker::kOutputBytes) + "\n");
    EXPECT_EQ(result.fault, "") << topic << " seed " << seed;
    EXPECT_EQ(crc32(result.dumped), output_crc) << topic << " seed " << seed;
  }
  EXPECT_GT(found, 20u);
}

INSTANTIATE_TEST_SUITE_P(Programs, RecordedPrograms, testing::ValuesIn(kTopics),
                         [](const auto& topic) { return std::string(name(topic.param)); });

}  // namespace
}  // namespace kerr::emu
