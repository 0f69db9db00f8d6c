// How busy the links of the two NoCs were, as a picture.
#pragma once

#include <string>

#include "arch/harvesting.hpp"
#include "report/timeline/utilisation.hpp"

namespace kerr::report {

/// A grid of each NoC in raw coordinates: of every node the busiest of its links, in percent. Each line begins with `indent`.
std::string heat_map_text(const Utilisation& u, const std::string& indent);

/// The same as an SVG file, with a line for each link, the busiest one's number, what each tile is, and the cores coloured by
/// how busy their FPU was. `harvesting` of the board marks what is switched off.
std::string heat_map_svg(const Utilisation& u, const std::string& title, const arch::Harvesting* harvesting = nullptr);

}  // namespace kerr::report
