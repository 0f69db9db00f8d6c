#include "cli/cq.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <vector>

#include "host/cq/decode.hpp"

namespace kerr::cli {
namespace {

constexpr std::uintmax_t kLargestFile = 256u << 20;

nlohmann::ordered_json to_json(const host::cq::DecodedCommand& command) {
  nlohmann::ordered_json json = {{"offset", command.offset}, {"bytes", command.bytes}, {"command", command.name}};
  for (const host::cq::Field& field : command.fields) {
    json["fields"][field.name] = {{"value", field.value}, {"text", field.text}};
  }
  for (const host::cq::DecodedCommand& inner : command.payload) json["payload"].push_back(to_json(inner));
  return json;
}

}  // namespace

int cq_dump_command(const CqDumpRequest& request) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(request.file, error);
  if (error) throw std::invalid_argument(fmt::format("cannot read '{}': {}", request.file, error.message()));
  if (size > kLargestFile) {
    throw std::invalid_argument(
        fmt::format("'{}' has {} bytes; at most {} are read", request.file, size, kLargestFile));
  }
  std::ifstream file(request.file, std::ios::binary);
  const std::vector<char> content{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(content));
  const auto commands =
      request.region ? host::cq::decode_region(bytes, request.issue_bytes) : host::cq::decode_stream(bytes, request.offset);
  if (!request.json) {
    fmt::print("{}", host::cq::listing(commands));
    return 0;
  }
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const auto& command : commands) array.push_back(to_json(command));
  fmt::print("{}\n", array.dump(2));
  return 0;
}

}  // namespace kerr::cli
