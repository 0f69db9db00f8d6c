#include "cli/isa.hpp"

#include "cli/tables.hpp"
#include "isa/tensix/reference.hpp"
#include "report/format_page.hpp"
#include "report/refusal_page.hpp"

namespace kerr::cli {

int isa_command(bool formats, bool refusals, bool json) {
  return print_page(formats    ? report::format_tables()
                    : refusals ? report::refusal_table()
                               : isa::tensix::reference_tables(),
                    json);
}

}  // namespace kerr::cli
