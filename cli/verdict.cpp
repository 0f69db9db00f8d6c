#include "cli/verdict.hpp"

#include <fmt/format.h>

#include <vector>

namespace kerr::cli {

namespace {

using graph::Agreement;
using graph::ElementBounds;
using graph::Verdict;

// Options that narrow what a result may be.
std::string tighter(const Advice& advice) {
  std::vector<std::string_view> options;
  if (advice.format) options.emplace_back("--format fp32");
  if (advice.product && !advice.fp32) options.emplace_back("--fp32");
  if (advice.product && advice.fidelity != kernels::Fidelity::HiFi4) options.emplace_back("--fidelity hifi4");
  return options.empty() ? "" : fmt::format("; more can be told with {}", fmt::join(options, " or "));
}

}  // namespace

std::string_view word(Verdict verdict) {
  switch (verdict) {
    case Verdict::Verified: return "verified";
    case Verdict::AsFarAsTold: return "right as far as it can be told";
    case Verdict::Wrong: break;
  }
  return "wrong";
}

std::string agreement_text(const Agreement& a) {
  std::string text;
  const bool numbers = !a.bounds || a.bounds->within != 0;
  if (numbers) {
    text += fmt::format("  against float64: PCC {:.6f}, relative error {:.2e}, max error {:.3g}", a.pcc,
                        a.relative_error, a.max_error);
  } else {
    text += "  against float64: no element is a number with bounds";
  }
  if (a.checked_rows < a.rows) text += fmt::format(" ({} of {} rows checked)", a.checked_rows, a.rows);
  text += '\n';
  if (a.rounding && numbers)
    text += fmt::format("  rounding alone   PCC {:.6f}, relative error {:.2e}\n", a.rounding->pcc,
                        a.rounding->relative_error);
  if (!a.bounds) return text;
  const ElementBounds& b = *a.bounds;
  text += fmt::format("  elements      {} compared: {} within bounds", b.elements, b.within);
  if (b.within != 0) text += fmt::format(" ({:.2e} of the result in all)", b.relative);
  if (b.by_class != 0) text += fmt::format(", {} infinity, NaN or zero of a denormal as they must be", b.by_class);
  if (b.untold != 0) text += fmt::format(", {} that may be almost anything", b.untold);
  if (b.outside != 0) text += fmt::format(", {} OUTSIDE what they may be", b.outside);
  return text + "\n";
}

std::string verdict_text(const Agreement& a, const Advice& advice) {
  const ElementBounds b = a.bounds.value_or(ElementBounds{});
  switch (a.verdict()) {
    case Verdict::Verified:
      if (a.bounds && b.within == 0)
        return fmt::format(
            "verified: all {} elements are the infinity, NaN or zero that they must be; there was no "
            "other number to compare",
            b.elements);
      return "verified";
    case Verdict::AsFarAsTold: {
      if (b.untold == 0)
        return "right as far as it can be told: the result is as far from float64 as its own arithmetic takes it" +
               tighter(advice);
      std::string text = fmt::format(
          "right as far as it can be told: {} of {} elements were told from wrong ones, the other {} may be almost "
          "anything",
          b.elements - b.untold, b.elements, b.untold);
      if (!advice.range.empty())
        text += fmt::format(
            "; a range of numbers that its operations are made for tells more, as in "
            "'--{} ROWSxCOLUMNS:0.1..1'",
            advice.range);
      return text;
    }
    case Verdict::Wrong: break;
  }
  if (b.outside != 0)
    return fmt::format("NOT VERIFIED: {} of {} elements are not what they may be", b.outside, b.elements);
  if (a.outside && *a.outside != 0) return "NOT VERIFIED: some elements are much further from float64 than all others";
  return "NOT VERIFIED: the result as a whole is further from float64 than its arithmetic explains" + tighter(advice);
}

void add_verdict(report::Json& json, const Agreement& a) {
  const ElementBounds b = a.bounds.value_or(ElementBounds{});
  json["verified"] = a.verified();
  json["verdict"] = word(a.verdict());
  json["elements"] = {{"compared", b.elements},
                      {"within_bounds", b.within},
                      {"by_class", b.by_class},
                      {"not_told", b.untold},
                      {"outside", b.outside}};
  json["pcc"] = a.pcc;
  json["relative_error"] = a.relative_error;
  json["max_error"] = a.max_error;
  json["allowed_relative_error"] = b.relative;
  json["checked_rows"] = a.checked_rows;
}

}  // namespace kerr::cli
