#include "loops/tiles/digits.hpp"

#include <algorithm>
#include <numeric>

namespace kerr::loops::tiles {

uint64_t end_of(const Terms& terms) {
  uint64_t largest = 0;
  for (const Term& term : terms) largest += (term.extent - 1) * term.stride;
  return largest + 1;
}

Operand sum_of(Maker& maker, const Terms& terms) {
  Operand sum = number(0);
  for (const Term& term : terms) sum = maker.add(sum, maker.mul(term.operand, static_cast<int64_t>(term.stride)));
  return sum;
}

std::pair<Terms, Terms> divide(Maker& maker, const Terms& terms, uint64_t by) {
  if (by == 1) return {terms, {}};
  Terms quotient, rest;
  for (const Term& term : terms) {
    if (term.extent == 1) continue;
    if (term.stride % by == 0)
      quotient.push_back({term.operand, term.stride / by, term.extent});
    else
      rest.push_back(term);
  }
  if (end_of(rest) <= by) return {quotient, rest};
  // The smaller terms that together stay below what divides `by` and the other strides are no part of the division.
  std::sort(rest.begin(), rest.end(), [](const Term& a, const Term& b) { return a.stride < b.stride; });
  size_t low = rest.size();
  uint64_t unit = 1;
  for (; low > 0; --low) {
    unit = by;
    for (size_t k = low; k < rest.size(); ++k) unit = std::gcd(unit, rest[k].stride);
    if (end_of(Terms(rest.begin(), rest.begin() + static_cast<ptrdiff_t>(low))) <= unit) break;
  }
  if (low == 0) {
    unit = by;
    for (const Term& term : rest) unit = std::gcd(unit, term.stride);
  }
  Terms high(rest.begin() + static_cast<ptrdiff_t>(low), rest.end());
  for (Term& term : high) term.stride /= unit;
  std::reverse(high.begin(), high.end());  // the outer loops' are the larger ones: sums of these first
  const Operand whole = sum_of(maker, high);
  const uint64_t end = end_of(high), divisor = by / unit;
  quotient.push_back({maker.div(whole, divisor), 1, (end - 1) / divisor + 1});
  Terms remainder{{maker.mod(whole, divisor), unit, std::min(end, divisor)}};
  remainder.insert(remainder.end(), rest.begin(), rest.begin() + static_cast<ptrdiff_t>(low));
  return {quotient, remainder};
}

std::vector<Operand> count(Maker& maker, Terms terms, const std::vector<uint64_t>& extents) {
  std::vector<Operand> out(extents.size(), number(0));
  for (size_t k = extents.size(); k-- > 1;) {
    auto [quotient, remainder] = divide(maker, terms, extents[k]);
    out[k] = sum_of(maker, remainder);
    terms = std::move(quotient);
  }
  if (!out.empty()) out[0] = sum_of(maker, terms);
  return out;
}

}  // namespace kerr::loops::tiles
