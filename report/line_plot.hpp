// Numbers over numbers, as a picture.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kerr::report {

struct LinePlot {
  struct Point {
    double x = 0, y = 0;
    std::string label;  // what a browser shows when the mouse is on it
  };
  struct Line {
    std::string name;
    std::vector<Point> points;  // in the order of x
  };
  std::string title, x_axis, y_axis;
  std::vector<Line> lines;
};

/// An SVG file, the same for the same plot on every host. An axis is logarithmic if its largest number is at least
/// eight times its
/// smallest one and that is above zero. Numbers that are not finite are left out.
std::string line_plot_svg(const LinePlot& plot);

}  // namespace kerr::report
