#include "check/finding.hpp"

#include <algorithm>

namespace kerr::check {

namespace {

constexpr RuleText kRules[] = {
#define X(rule, name, level, ...) {Rule::rule, name, Level::level, __VA_ARGS__},
#include "check/rules.def"
};

constexpr EdgeText kEdges[] = {
#define X(edge, name, tier, ...) {Edge::edge, name, Tier::tier, __VA_ARGS__},
#include "check/edges.def"
};

}  // namespace

std::span<const RuleText> rules() { return kRules; }
const RuleText& text_of(Rule rule) { return kRules[static_cast<size_t>(rule)]; }

std::optional<Rule> rule_named(std::string_view name) {
  const auto* const row = std::ranges::find(kRules, name, &RuleText::name);
  if (row == std::end(kRules)) return std::nullopt;
  return row->rule;
}

std::span<const EdgeText> edges() { return kEdges; }
const EdgeText& text_of(Edge edge) { return kEdges[static_cast<size_t>(edge)]; }

bool needs_order(Rule rule) {
  switch (rule) {
    case Rule::Race:
    case Rule::InFlight:
    case Rule::CbIncomplete:
    case Rule::CbEarlyPop:
    case Rule::CbTwoProducers:
    case Rule::CbTwoConsumers:
    case Rule::NocLeft:
    case Rule::NocBusyBuffer:
    case Rule::NocTrid:
    case Rule::NocShared:
    case Rule::SfpuGap:
    case Rule::ConfigLive:
    case Rule::GprLive:
    case Rule::SemInitRace:
    case Rule::MopLive: return true;
    default: return false;
  }
}

}  // namespace kerr::check
