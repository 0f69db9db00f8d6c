#include "report/timeline/heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/grid.hpp"
#include "isa/tensix/resources.hpp"
#include "report/xml_text.hpp"

namespace kerr::report {

using emu::LinkUse;
using emu::TileId;

namespace {

constexpr int kCell = 44, kMargin = 64, kTitle = 50, kGap = 100;
// Above the cells of a NoC: what it is, which link is busiest, and the columns' numbers.
constexpr int kHeading = 62, kBusiest = 44, kBesideLinks = 24;
constexpr int kGridWidth = arch::kGridColumns * kCell, kGridHeight = arch::kGridRows * kCell;

// White, yellow, red, black: 0 to 1.
std::string colour(double share) {
  struct Stop {
    double at, r, g, b;
  };
  constexpr Stop stops[] = {
      {0, 245, 245, 245}, {0.25, 254, 217, 118}, {0.5, 253, 141, 60}, {0.75, 227, 26, 28}, {1, 90, 0, 30}};
  share = std::clamp(share, 0.0, 1.0);
  size_t i = 1;
  while (i + 1 < std::size(stops) && share > stops[i].at) ++i;
  const Stop &a = stops[i - 1], &b = stops[i];
  const double f = (share - a.at) / (b.at - a.at);
  return fmt::format("#{:02x}{:02x}{:02x}", static_cast<int>(a.r + f * (b.r - a.r)),
                     static_cast<int>(a.g + f * (b.g - a.g)), static_cast<int>(a.b + f * (b.b - a.b)));
}

// The line of a link inside its node's cell, from the middle to the edge.
struct Stroke {
  int x1, y1, x2, y2;
};
Stroke stroke(const Utilisation::Link& link, int x, int y) {
  constexpr int kOut = kCell - 4;
  if (link.way == LinkUse::Way::X) return link.noc == 0 ? Stroke{x, y, x + kOut, y} : Stroke{x, y, x - kOut, y};
  return link.noc == 0 ? Stroke{x, y, x, y + kOut} : Stroke{x, y, x, y - kOut};
}

// What a node is, in a letter; nothing for Tensix tiles.
const char* letter_of(arch::TileClass kind) {
  switch (kind) {
    case arch::TileClass::Dram: return "D";
    case arch::TileClass::Ethernet: return "E";
    case arch::TileClass::Pcie: return "P";
    case arch::TileClass::Arc: return "A";
    case arch::TileClass::L2Cpu: return "L";
    case arch::TileClass::Security: return "S";
    default: return "";
  }
}

bool harvested(const arch::Harvesting& h, arch::NocCoord at) {
  switch (arch::tile_class(at)) {
    case arch::TileClass::Tensix: return !arch::tensix_column_good(h, at.x);
    case arch::TileClass::Dram: return (h.dram_banks >> arch::dram_port(at).bank & 1) == 0;
    default: return false;
  }
}

const Utilisation::Link* busiest_link(const Utilisation& u, int noc) {
  const Utilisation::Link* busiest = nullptr;
  for (const Utilisation::Link& link : u.links) {
    if (link.noc != noc || link.way == LinkUse::Way::Exit) continue;
    if (busiest == nullptr || link.busy > busiest->busy) busiest = &link;
  }
  return busiest;
}

void draw_noc(std::string& out, const Utilisation& u, const arch::Harvesting* harvesting, int noc, int top) {
  out += fmt::format(
      "<text x=\"{}\" y=\"{}\" font-size=\"15\">NoC {}, to the {}: share of the time in which each link is "
      "taken</text>\n",
      kMargin, top - kHeading, noc, noc == 0 ? "east and south" : "west and north");
  const auto centre = [&](TileId t) {
    return std::pair{kMargin + t.x() * kCell + kCell / 2, top + t.y() * kCell + kCell / 2};
  };
  // Links that leave the picture on one side, to come back on the other, end 18 pixels outside the cells.
  for (int x = 0; x < arch::kGridColumns; ++x)
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", kMargin + x * kCell + kCell / 2,
                       top - kBesideLinks, x);
  for (int y = 0; y < arch::kGridRows; ++y)
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", kMargin - kBesideLinks,
                       top + y * kCell + kCell / 2 + 4, y);
  for (const Utilisation::Link& link : u.links) {
    if (link.noc != noc || link.way == LinkUse::Way::Exit) continue;
    const auto [x, y] = centre({0, link.from});
    const Stroke s = stroke(link, x, y);
    out += fmt::format(
        "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"{:.1f}\"><title>{}: {:.1f} "
        "%</title></line>\n",
        s.x1, s.y1, s.x2, s.y2, colour(link.busy), 2 + 6 * link.busy, link_name(link), link.busy * 100);
  }
  for (int n = 0; n < arch::kGridTiles; ++n) {
    const TileId tile{0, static_cast<uint8_t>(n)};
    const auto [x, y] = centre(tile);
    const auto core = std::find_if(u.cores.begin(), u.cores.end(), [&](const auto& c) { return c.node == tile.node; });
    const bool computes = core != u.cores.end();
    const double busy = computes ? core->units[static_cast<size_t>(isa::tensix::Unit::Fpu)] : 0;
    const arch::NocCoord at{static_cast<uint8_t>(tile.x()), static_cast<uint8_t>(tile.y())};
    const bool off = harvesting != nullptr && harvested(*harvesting, at);
    out += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"16\" height=\"16\" rx=\"3\" fill=\"{}\" "
        "stroke=\"#888\"><title>({},{}){}{}</title></rect>\n",
        x - 8, y - 8,
        computes ? colour(busy)
        : off    ? "#cccccc"
                 : "#ffffff",
        tile.x(), tile.y(), computes ? fmt::format(": FPU {:.1f} %", busy * 100) : "", off ? ": harvested" : "");
    if (const std::string letter = off ? "x" : letter_of(arch::tile_class(at)); !letter.empty())
      out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" pointer-events=\"none\">{}</text>\n", x, y + 4,
                         letter);
  }
  if (const Utilisation::Link* busiest = busiest_link(u, noc); busiest != nullptr && busiest->busy > 0) {
    const auto [x, y] = centre({0, busiest->from});
    const Stroke s = stroke(*busiest, x, y);
    out += fmt::format(
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-weight=\"bold\" stroke=\"#ffffff\" stroke-width=\"3\" "
        "paint-order=\"stroke\">{:.0f} %</text>\n",
        (s.x1 + s.x2) / 2, (s.y1 + s.y2) / 2 - 5, busiest->busy * 100);
    out += fmt::format("<text x=\"{}\" y=\"{}\">busiest: {}, {:.1f} %</text>\n", kMargin, top - kBusiest,
                       link_name(*busiest), busiest->busy * 100);
  }
}

}  // namespace

std::string heat_map_text(const Utilisation& u, const std::string& indent) {
  std::string out;
  for (int noc = 0; noc < arch::kNocs; ++noc) {
    std::array<double, arch::kGridTiles> busiest{};
    for (const Utilisation::Link& link : u.links) {
      if (link.noc == noc) busiest[link.from] = std::max(busiest[link.from], link.busy);
    }
    out += fmt::format("{}NoC {}, busiest link out of each node (raw coordinates), %\n{}     ", indent, noc, indent);
    for (int x = 0; x < arch::kGridColumns; ++x) out += fmt::format("{:>4}", x);
    out += '\n';
    for (int y = 0; y < arch::kGridRows; ++y) {
      out += fmt::format("{}{:>5}", indent, y);
      for (int x = 0; x < arch::kGridColumns; ++x) {
        const double share = busiest[TileId::at(0, x, y).node];
        out += share == 0 ? std::string("   .") : fmt::format("{:>4.0f}", share * 100);
      }
      out += '\n';
    }
  }
  return out;
}

std::string heat_map_svg(const Utilisation& u, const std::string& title, const arch::Harvesting* harvesting) {
  const int width = kGridWidth + 2 * kMargin, height = kTitle + 2 * (kGridHeight + kGap) + kMargin;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" font-family=\"sans-serif\" "
      "font-size=\"11\">\n",
      width, height);
  out += fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n", width, height);
  out += fmt::format("<text x=\"{}\" y=\"26\" font-size=\"17\">{}</text>\n", kMargin, escaped(title));
  for (int step = 0; step <= 10; ++step) {
    out += fmt::format("<rect x=\"{}\" y=\"36\" width=\"24\" height=\"10\" fill=\"{}\"/>\n", kMargin + step * 24,
                       colour(step / 10.0));
  }
  out += fmt::format("<text x=\"{}\" y=\"45\">0 to 100 %; squares: the FPU of cores that computed</text>\n",
                     kMargin + 11 * 24 + 6);
  out += fmt::format(
      "<text x=\"{}\" y=\"62\">D DRAM, E Ethernet, P PCIe, A ARC, L L2CPU, S security, x harvested</text>\n", kMargin);
  for (int noc = 0; noc < arch::kNocs; ++noc)
    draw_noc(out, u, harvesting, noc, kTitle + kGap + noc * (kGridHeight + kGap));
  return out + "</svg>\n";
}

}  // namespace kerr::report
