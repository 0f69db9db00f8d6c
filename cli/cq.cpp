#include "cli/cq.hpp"

#include <fmt/format.h>

#include <span>
#include <string>
#include <utility>

#include "cli/files.hpp"
#include "cli/version.hpp"
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

}  // namespace

int cq_dump_command(const CqDumpRequest& request) {
  const std::string content = read_file(request.file, kLargestFile);
  const auto bytes = std::as_bytes(std::span(content));
  const auto commands =
      request.region ? host::cq::decode_region(bytes, request.issue_bytes) : host::cq::decode_stream(bytes, request.offset);
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
