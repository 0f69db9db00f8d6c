// kerr cq dump: the command queue's bytes for a person.

#include <fmt/format.h>

#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arch/cq_layout.hpp"
#include "cli/commands/commands.hpp"
#include "cli/files.hpp"
#include "cli/version.hpp"
#include "host/error.hpp"
#include "host/runtime/cq/decode.hpp"
#include "report/json.hpp"

namespace kerr::cli {
namespace {

constexpr uintmax_t kLargestFile = 256u << 20;

report::Json to_json(const host::cq::DecodedCommand& command) {
  report::Json json = {{"offset", command.offset}, {"bytes", command.bytes}, {"command", command.name}};
  for (const host::cq::Field& field : command.fields) {
    json["fields"][field.name] = {{"value", field.value}, {"text", field.text}};
  }
  for (const host::cq::DecodedCommand& inner : command.payload) json["payload"].push_back(to_json(inner));
  return json;
}

class CqDump final : public Command {
  void declare(Syntax& syntax) override {
    syntax.input_file("FILE", file_, "raw bytes: commands one behind the other; -: standard input").required();
    syntax.flag("--region", region_,
                "FILE is a host region: the commands up to its write pointer, then what is left of older ones");
    syntax.number("--issue-bytes", issue_bytes_, "of the region's issue ring (default 64 MiB)", 64, 1u << 31)
        .needs("--region");
    syntax.number("--offset", offset_, "of the first command (default 0)").excludes({"--region"});
    syntax.flag("--json", json_, "print as JSON");
    syntax.footer("Example:\n  kerr matmul 64 64 64 --save-queue region.bin && kerr cq dump --region region.bin");
  }

  int run() override {
    const std::string content = read_file(file_, kLargestFile);
    const auto commands = decoded(content);
    if (!json_) {
      fmt::print("{}", host::cq::listing(commands));
      return 0;
    }
    report::Json array = report::Json::array();
    for (const auto& command : commands) array.push_back(to_json(command));
    write_json("commands", std::move(array));
    return 0;
  }

  std::vector<host::cq::DecodedCommand> decoded(const std::string& content) const {
    const auto bytes = std::as_bytes(std::span(content));
    const std::string name = file_ == "-" ? "standard input" : fmt::format("'{}'", file_);
    if (offset_ > content.size())
      throw std::invalid_argument(fmt::format("--offset {}: {} has {} bytes", offset_, name, content.size()));
    if (issue_bytes_ && content.size() < arch::cq::kHostHeaderBytes + *issue_bytes_) {
      throw std::invalid_argument(fmt::format("--issue-bytes {}: {} has {} bytes with the region's header of {}",
                                              *issue_bytes_, name, content.size(), arch::cq::kHostHeaderBytes));
    }
    try {
      return region_ ? host::cq::decode_region(bytes, issue_bytes_.value_or(arch::cq::kDefaultHostRegion.issue_bytes))
                     : host::cq::decode_stream(bytes, offset_);
    } catch (const host::DeviceError& error) {
      throw std::invalid_argument(fmt::format("{}: {}.{}", name, error.sentence(),
                                              region_ ? "" : "  A captured host region needs '--region'."));
    }
  }

  std::string file_;
  uint64_t offset_ = 0;                  // of the first command
  bool region_ = false;                  // the file is a host region
  std::optional<uint64_t> issue_bytes_;  // of the region's ring; none: of the default region
};

}  // namespace

std::unique_ptr<Command> make_cq_dump() { return std::make_unique<CqDump>(); }

}  // namespace kerr::cli
