#include "cli/cq.hpp"

#include <fmt/format.h>

#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

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

std::vector<host::cq::DecodedCommand> decoded(const CqDumpRequest& request, const std::string& content) {
  const auto bytes = std::as_bytes(std::span(content));
  const std::string name = request.file == "-" ? "standard input" : fmt::format("'{}'", request.file);
  if (request.offset > content.size())
    throw std::invalid_argument(fmt::format("--offset {}: {} has {} bytes", request.offset, name, content.size()));
  if (request.issue_bytes && content.size() < arch::cq::kHostHeaderBytes + *request.issue_bytes) {
    throw std::invalid_argument(fmt::format("--issue-bytes {}: {} has {} bytes with the region's header of {}",
                                            *request.issue_bytes, name, content.size(), arch::cq::kHostHeaderBytes));
  }
  try {
    return request.region
               ? host::cq::decode_region(bytes, request.issue_bytes.value_or(arch::cq::kDefaultHostRegion.issue_bytes))
               : host::cq::decode_stream(bytes, request.offset);
  } catch (const host::DeviceError& error) {
    throw std::invalid_argument(fmt::format("{}: {}.{}", name, error.sentence(),
                                            request.region ? "" : "  A captured host region needs '--region'."));
  }
}

}  // namespace

int cq_dump_command(const CqDumpRequest& request) {
  const std::string content = read_file(request.file, kLargestFile);
  const auto commands = decoded(request, content);
  if (!request.json) {
    fmt::print("{}", host::cq::listing(commands));
    return 0;
  }
  report::Json array = report::Json::array();
  for (const auto& command : commands) array.push_back(to_json(command));
  write_json("commands", std::move(array));
  return 0;
}

}  // namespace kerr::cli
