#include "loops/scalar/sharing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <list>
#include <map>
#include <optional>
#include <set>

#include "loops/scalar/places.hpp"
#include "loops/scalar/work.hpp"

namespace kerr::loops::scalar {
namespace {

constexpr int64_t kLargest = int64_t{1} << 44;  // beyond it forms are not followed
constexpr bool is_small(int64_t x) { return x >= -kLargest && x <= kLargest; }

// constant + sum of coefficients times loops' variables.
struct Form {
  int64_t constant = 0;
  std::vector<std::pair<uint32_t, int64_t>> terms;  // line of the loop, ascending
};

struct Range {
  int64_t low = 0, high = 0;
};

class Analysis {
 public:
  Analysis(const Program& program, const Nest& nest, std::span<const uint32_t> object, std::span<const int64_t> numbers)
      : program_(program),
        nest_(nest),
        object_(object),
        numbers_(numbers),
        definition_(program.values.size(), kNowhere),
        forms_(program.values.size()),
        known_(program.values.size(), Known::NotYet),
        variable_(program.values.size(), kNowhere) {
    for (uint32_t at = 0; at < program.body.size(); ++at)
      if (program.body[at].result != kNoValue) definition_[program.body[at].result] = at;
    for (uint32_t k = 0; k < program.variables.size(); ++k) variable_[program.variables[k].value] = k;
  }

  Sharing run() {
    Sharing out;
    estimate(out);
    if (nest_.loops.empty()) {
      out.why_not = nest_.why_not;
      return out;
    }
    for (uint32_t at : nest_.loops) {
      const int64_t extent = std::max<int64_t>(extent_of(at).value_or(1), 0);
      out.iterations *= static_cast<uint64_t>(extent);
    }
    if (out.iterations > 0x7FFFFFFF) {
      out.why_not = "it has too many iterations";
      return out;
    }
    out.why_not = registers();
    if (out.why_not.empty()) out.why_not = memory();
    out.independent = out.why_not.empty();
    return out;
  }

 private:
  enum class Known : uint8_t { NotYet, Yes, No };

  // ---- forms

  std::optional<int64_t> extent_of(uint32_t at) {
    const Form* form = form_of(program_.body[at].operands[0]);
    if (form == nullptr || !form->terms.empty()) return std::nullopt;
    return form->constant;
  }

  std::optional<Range> range_of(const Form& form) {
    Range range{form.constant, form.constant};
    if (!form.terms.empty() && !is_small(form.constant)) return std::nullopt;
    for (const auto& [at, factor] : form.terms) {
      const auto extent = extent_of(at);
      if (!extent) return std::nullopt;
      const int64_t last = *extent > 0 ? *extent - 1 : 0;
      if (last > kLargest || std::llabs(factor) > kLargest / std::max<int64_t>(last, 1)) return std::nullopt;
      (factor < 0 ? range.low : range.high) += factor * last;
    }
    return range;
  }

  const Form* form_of(const Operand& operand) {
    if (operand.is_number()) {
      numbers_seen_.push_back({value_of(operand), {}});
      return &numbers_seen_.back();
    }
    return form_of(operand.value);
  }

  const Form* form_of(uint32_t value) {
    if (known_[value] == Known::NotYet) {
      // Deep trees are followed by this stack, not by calls.
      std::vector<uint32_t> stack{value};
      while (!stack.empty()) {
        const uint32_t top = stack.back();
        if (known_[top] != Known::NotYet) {
          stack.pop_back();
          continue;
        }
        bool ready = true;
        if (definition_[top] != kNowhere && program_.body[definition_[top]].verb != Verb::Loop) {
          for (const Operand& operand : program_.body[definition_[top]].inputs()) {
            if (operand.is_number() || known_[operand.value] != Known::NotYet) continue;
            if (!follows(program_.body[definition_[top]].verb)) break;
            stack.push_back(operand.value);
            ready = false;
          }
        }
        if (!ready) continue;
        std::optional<Form> form = make(top);
        if (form) form = checked(std::move(*form), program_.values[top].type.type);
        known_[top] = form ? Known::Yes : Known::No;
        if (form) forms_[top] = std::move(*form);
        stack.pop_back();
      }
    }
    return known_[value] == Known::Yes ? &forms_[value] : nullptr;
  }

  static bool follows(Verb verb) {
    return verb == Verb::Add || verb == Verb::Sub || verb == Verb::Mul || verb == Verb::Shl || verb == Verb::Neg ||
           verb == Verb::Cast;
  }

  std::optional<Form> make(uint32_t value) {
    if (program_.values[value].type.lanes != 1 || !is_integer(program_.values[value].type.type)) return std::nullopt;
    if (variable_[value] != kNowhere) return Form{numbers_[variable_[value]], {}};
    const uint32_t at = definition_[value];
    if (at == kNowhere) return std::nullopt;
    const Instruction& i = program_.body[at];
    if (i.verb == Verb::Loop) return Form{0, {{at, 1}}};
    if (!follows(i.verb)) return std::nullopt;
    if (i.verb == Verb::Cast && !is_integer(i.operands[0].type.type)) return std::nullopt;
    const Form* a = form_of(i.operands[0]);
    const Form a_copy = a != nullptr ? *a : Form{};
    if (a == nullptr) return std::nullopt;
    if (i.verb == Verb::Cast) return a_copy;
    if (i.verb == Verb::Neg) return combine({}, a_copy, -1);
    const Form* b = form_of(i.operands[1]);
    if (b == nullptr) return std::nullopt;
    const Form b_copy = *b;
    switch (i.verb) {
      case Verb::Add: return combine(a_copy, b_copy, 1);
      case Verb::Sub: return combine(a_copy, b_copy, -1);
      case Verb::Mul:
        if (b_copy.terms.empty()) return combine({}, a_copy, b_copy.constant);
        if (a_copy.terms.empty()) return combine({}, b_copy, a_copy.constant);
        return std::nullopt;
      default:
        if (!b_copy.terms.empty() || b_copy.constant < 0 || b_copy.constant > 40) return std::nullopt;
        return combine({}, a_copy, int64_t{1} << b_copy.constant);
    }
  }

  static std::optional<Form> combine(Form a, const Form& b, int64_t factor) {
    const auto times = [&](int64_t x) -> std::optional<int64_t> {
      int64_t product;
      if (__builtin_mul_overflow(x, factor, &product) || !is_small(product)) return std::nullopt;
      return product;
    };
    const auto constant = times(b.constant);
    if (!constant || __builtin_add_overflow(a.constant, *constant, &a.constant)) return std::nullopt;
    for (const auto& [at, x] : b.terms) {
      const auto product = times(x);
      if (!product) return std::nullopt;
      const auto place =
          std::lower_bound(a.terms.begin(), a.terms.end(), std::pair{at, std::numeric_limits<int64_t>::min()});
      if (place != a.terms.end() && place->first == at) {
        place->second += *product;
        if (place->second == 0) a.terms.erase(place);
      } else if (*product != 0) {
        a.terms.insert(place, {at, *product});
      }
    }
    if (a.terms.size() > 64) return std::nullopt;
    return a;
  }

  // A form is the value only if nothing wraps.
  std::optional<Form> checked(Form form, Type type) {
    const auto range = range_of(form);
    if (!range) return std::nullopt;
    const uint32_t bits = 8 * info(type).bytes;
    if (bits < 64) {
      const int64_t low = info(type).is_signed ? -(int64_t{1} << (bits - 1)) : 0;
      const int64_t high = info(type).is_signed ? (int64_t{1} << (bits - 1)) - 1 : (int64_t{1} << bits) - 1;
      if (range->low < low || range->high > high) return std::nullopt;
    } else if (!info(type).is_signed && range->low < 0) {
      return std::nullopt;
    }
    return form;
  }

  // ---- memory

  struct Touched {
    std::vector<int64_t> strides;  // of the nest's variables, in bytes
    int64_t low, high;             // bytes of all accesses, in the first iteration
    uint32_t line;
  };

  std::string memory() {
    const uint32_t first = nest_.loops.front(), last = program_.body[first].partner;
    std::set<uint32_t> stored;
    for (uint32_t at = first; at < last; ++at) {
      const Instruction& i = program_.body[at];
      if (i.verb == Verb::Store && i.address.space == Address::Space::Parameter)
        stored.insert(object_[i.address.index]);
    }
    for (uint32_t at = 0; at < program_.body.size(); ++at) {  // what others store is nobody's before or after the nest
      const Instruction& i = program_.body[at];
      if (at >= first && at < last) continue;
      if (i.verb == Verb::Load && i.address.space == Address::Space::Parameter &&
          stored.count(object_[i.address.index]) != 0)
        return fmt::format("line {} loads what the loop of line {} stores", i.line, program_.body[first].line);
    }
    std::map<uint32_t, Touched> touched;
    for (uint32_t at = first; at < last; ++at) {
      const Instruction& i = program_.body[at];
      if ((i.verb != Verb::Load && i.verb != Verb::Store) || i.address.space != Address::Space::Parameter) continue;
      if (stored.count(object_[i.address.index]) == 0) continue;
      const Form* form = form_of(i.address.element);
      if (form == nullptr) return fmt::format("where line {} {} is no sum of loops' variables", i.line, verb_of(i));
      Form inner{form->constant, {}};
      const auto unit = static_cast<int64_t>(info(i.address.unit).bytes);
      Touched here{std::vector<int64_t>(nest_.loops.size()), 0, 0, i.line};
      for (const auto& [loop, factor] : form->terms) {
        const auto k = std::find(nest_.loops.begin(), nest_.loops.end(), loop) - nest_.loops.begin();
        if (k == static_cast<int64_t>(nest_.loops.size())) {
          inner.terms.push_back({loop, factor});
        } else {
          here.strides[static_cast<size_t>(k)] = factor * unit;
        }
      }
      const auto range = range_of(inner);
      if (!range || !is_small(range->low) || !is_small(range->high))
        return fmt::format("how far line {} reaches is not known", i.line);
      here.low = range->low * unit;
      here.high = range->high * unit + i.type.lanes * info(i.type.type).bytes;
      const auto [entry, is_new] = touched.try_emplace(object_[i.address.index], here);
      if (is_new) continue;
      if (entry->second.strides != here.strides)
        return fmt::format("lines {} and {} go through the same bytes in different ways", entry->second.line, i.line);
      entry->second.low = std::min(entry->second.low, here.low);
      entry->second.high = std::max(entry->second.high, here.high);
    }
    for (const auto& [object, t] : touched) {
      std::vector<std::pair<int64_t, int64_t>> strides;  // with the last value of their variable
      for (size_t k = 0; k < nest_.loops.size(); ++k) {
        const int64_t extent = extent_of(nest_.loops[k]).value_or(0);
        if (extent <= 1) continue;
        strides.push_back({std::llabs(t.strides[k]), extent - 1});
      }
      std::sort(strides.begin(), strides.end());
      int64_t below = t.high - t.low;
      for (const auto& [stride, most] : strides) {
        if (stride < below)
          return fmt::format("iterations of the loop of line {} store the same bytes (line {})",
                             program_.body[first].line, t.line);
        below += stride * most;
      }
    }
    return {};
  }
  static const char* verb_of(const Instruction& i) { return i.verb == Verb::Load ? "loads" : "stores"; }

  // ---- registers: each element is stored before it is loaded in the same iteration

  std::string registers() {
    const uint32_t outer = nest_.loops.front(), inner = nest_.loops.back();
    std::vector<uint32_t> first(program_.registers.size());
    uint32_t elements = 0;
    for (size_t r = 0; r < program_.registers.size(); ++r) {
      first[r] = elements;
      elements += static_cast<uint32_t>(std::min<uint64_t>(program_.registers[r].count, 4096));
    }
    const auto element_of = [&](const Instruction& i) -> uint32_t {
      const Register& reg = program_.registers[i.address.index];
      const bool plain = i.address.element.is_number() &&
                         i.address.element.bits < std::min<uint64_t>(reg.count, 4096) && i.address.unit == reg.type &&
                         i.type == VectorType{reg.type, 1};
      return plain ? first[i.address.index] + static_cast<uint32_t>(i.address.element.bits) : kNowhere;
    };
    std::vector<bool> stored_in_nest(elements), array_stored(program_.registers.size());
    for (uint32_t at = outer; at < program_.body[outer].partner; ++at) {
      const Instruction& i = program_.body[at];
      if (i.verb != Verb::Store || i.address.space != Address::Space::Register) continue;
      const uint32_t element = element_of(i);
      if (element == kNowhere)
        array_stored[i.address.index] = true;
      else
        stored_in_nest[element] = true;
    }
    const auto carried = [&](const Instruction& i) {
      return fmt::format("line {} may load from r{} what another iteration has stored", i.line,
                         program_.registers[i.address.index].id);
    };
    std::vector<uint32_t> stored_at(elements, 0);  // how deep the block is that has stored it; 0: none
    std::vector<std::vector<uint32_t>> undo{{}};
    for (uint32_t at = 0; at < program_.body.size(); ++at) {
      const Instruction& i = program_.body[at];
      const bool inside = at > inner && at < program_.body[inner].partner;
      if (inside && (i.verb == Verb::Loop || i.verb == Verb::If)) undo.push_back({});
      if (inside && (i.verb == Verb::EndLoop || i.verb == Verb::EndIf)) {
        const auto extent = i.verb == Verb::EndLoop ? extent_of(i.partner) : std::nullopt;
        const std::vector<uint32_t> closed = std::move(undo.back());
        undo.pop_back();
        for (uint32_t element : closed) {
          if (extent && *extent > 0)
            undo.back().push_back(element);
          else
            stored_at[element] = 0;
        }
      }
      if ((i.verb != Verb::Load && i.verb != Verb::Store) || i.address.space != Address::Space::Register) continue;
      const uint32_t element = element_of(i);
      if (i.verb == Verb::Store) {
        if (inside && element != kNowhere && stored_at[element] == 0) {
          stored_at[element] = 1;
          undo.back().push_back(element);
        }
        continue;
      }
      if (at < outer || program_.registers[i.address.index].settled) continue;
      if (array_stored[i.address.index]) return carried(i);
      if (element == kNowhere) {
        const Register& reg = program_.registers[i.address.index];
        for (uint64_t k = 0; k < std::min<uint64_t>(reg.count, 4096); ++k)
          if (stored_in_nest[first[i.address.index] + k]) return carried(i);
        continue;
      }
      if (!stored_in_nest[element]) continue;
      if (!inside || stored_at[element] == 0) return carried(i);
    }
    return {};
  }

  // ---- work

  double turns_of(uint32_t at) {
    const Operand& extent = program_.body[at].operands[0];
    if (const auto known = extent_of(at)) return static_cast<double>(std::clamp<int64_t>(*known, 0, kLargest));
    const uint32_t made = extent.is_number() ? kNowhere : definition_[extent.value];
    const bool is_condition = made != kNowhere && program_.body[made].verb == Verb::Cast &&
                              program_.body[made].operands[0].type.type == Type::Bool;
    return is_condition ? 1 : 16;
  }

  void estimate(Sharing& out) {
    const auto turns = [this](uint32_t at) { return turns_of(at); };
    const double all = instructions_of(program_, 0, static_cast<uint32_t>(program_.body.size()), turns);
    double nest = 0;
    if (!nest_.loops.empty()) {
      const uint32_t first = nest_.loops.front();
      nest = instructions_of(program_, first, program_.body[first].partner + 1, turns);
    }
    out.instructions = static_cast<uint64_t>(std::min(all, 1e18));
    out.alone = static_cast<uint64_t>(std::clamp(all - nest, 0.0, 1e18));
  }

  const Program& program_;
  const Nest& nest_;
  std::span<const uint32_t> object_;
  std::span<const int64_t> numbers_;
  std::vector<uint32_t> definition_;
  std::vector<Form> forms_;
  std::vector<Known> known_;
  std::vector<uint32_t> variable_;
  std::list<Form> numbers_seen_;
};

}  // namespace

Sharing sharing_of(const Program& program, const Nest& nest, std::span<const uint32_t> object,
                   std::span<const int64_t> numbers) {
  return Analysis(program, nest, object, numbers).run();
}

}  // namespace kerr::loops::scalar
