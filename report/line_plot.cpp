#include "report/line_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "report/xml_text.hpp"

namespace kerr::report {

namespace {

constexpr int kWidth = 760, kHeight = 460, kLeft = 90, kRight = 30, kTop = 50, kBottom = 60;
constexpr int kLegendRow = 18;
constexpr size_t kMostTicks = 12;
constexpr double kLogarithmicFrom = 8;  // largest over smallest

// Told apart by people who see few colours; the shapes of the marks differ too.
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"};

// "2048", "0.25", "1.5M".
std::string number(double x) {
  const double size = std::abs(x);
  for (const auto& [unit, suffix] : {std::pair{1e9, "G"}, {1e6, "M"}, {1e4, "k"}}) {
    if (size >= unit) return fmt::format("{:.4g}{}", x / (unit == 1e4 ? 1e3 : unit), suffix);
  }
  return x == std::trunc(x) ? fmt::format("{:.6g}", x) : fmt::format("{:.4g}", x);
}

class Axis {
 public:
  Axis(const std::set<double>& numbers, double begin, double end) : begin_(begin), end_(end) {
    low_ = numbers.empty() ? 0 : *numbers.begin(), high_ = numbers.empty() ? 1 : *numbers.rbegin();
    logarithmic_ = low_ > 0 && high_ >= kLogarithmicFrom * low_;
  }

  bool logarithmic() const { return logarithmic_; }
  void begin_at_zero() {
    if (!logarithmic_) low_ = std::min(low_, 0.0);
  }
  double place(double x) const {
    const double span = at(high_) - at(low_);
    return span > 0 ? begin_ + (end_ - begin_) * (at(x) - at(low_)) / span : (begin_ + end_) / 2;
  }

  // At the numbers themselves if they are few.
  std::vector<double> ticks_at(const std::set<double>& numbers) const {
    if (numbers.size() <= kMostTicks) return {numbers.begin(), numbers.end()};
    return ticks();
  }
  std::vector<double> ticks() const {
    std::vector<double> all;
    if (logarithmic_) {
      const bool few = high_ / low_ < 200;
      for (double decade = std::pow(10, std::floor(std::log10(low_))); decade <= high_; decade *= 10) {
        for (const double digit : {1.0, 2.0, 5.0})
          if ((few || digit == 1) && decade * digit >= low_ && decade * digit <= high_) all.push_back(decade * digit);
      }
      return all;
    }
    if (!(high_ > low_)) return {low_};
    const double rough = (high_ - low_) / 6, decade = std::pow(10, std::floor(std::log10(rough)));
    const double step = decade * (rough > 5 * decade ? 10 : rough > 2 * decade ? 5 : rough > decade ? 2 : 1);
    for (double i = std::ceil(low_ / step); i * step <= high_ * (1 + 1e-12); ++i) all.push_back(i * step);
    return all;
  }

 private:
  double at(double x) const { return logarithmic_ ? std::log(x) : x; }

  double begin_, end_, low_ = 0, high_ = 1;
  bool logarithmic_ = false;
};

std::string mark(size_t line, double x, double y, const char* colour, const std::string& label) {
  const std::string title = label.empty() ? "" : "<title>" + escaped(label) + "</title>";
  switch (line % 3) {
    case 0:
      return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\">{}</circle>\n", x, y, colour, title);
    case 1:
      return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"8\" height=\"8\" fill=\"{}\">{}</rect>\n", x - 4,
                         y - 4, colour, title);
    default: return fmt::format("<path d=\"M{:.1f} {:.1f}l5 8h-10z\" fill=\"{}\">{}</path>\n", x, y - 5, colour, title);
  }
}

std::string words(double x, double y, const char* anchor, const std::string& text, const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more,
                     escaped(text));
}

}  // namespace

std::string line_plot_svg(const LinePlot& plot) {
  const auto shown = [](const LinePlot::Point& p) { return std::isfinite(p.x) && std::isfinite(p.y); };
  std::set<double> xs, ys;
  for (const LinePlot::Line& line : plot.lines)
    for (const LinePlot::Point& p : line.points)
      if (shown(p)) xs.insert(p.x), ys.insert(p.y);
  const int height = kHeight + kLegendRow * static_cast<int>(plot.lines.size());
  const double bottom = kHeight - kBottom;
  Axis across(xs, kLeft + 15, kWidth - kRight - 15), up(ys, bottom, kTop + 10);
  up.begin_at_zero();

  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      kWidth, height);
  out += words(kLeft, 28, "start", plot.title, " font-size=\"15\"");
  for (const double y : up.ticks()) {
    out += fmt::format("<path d=\"M{} {:.1f}H{}\" stroke=\"#dddddd\"/>\n", kLeft, up.place(y), kWidth - kRight);
    out += words(kLeft - 8, up.place(y) + 4, "end", number(y));
  }
  for (const double x : across.ticks_at(xs)) {
    out += fmt::format("<path d=\"M{:.1f} {:.1f}v5\" stroke=\"#444444\"/>\n", across.place(x), bottom);
    out += words(across.place(x), bottom + 19, "middle", number(x));
  }
  out += fmt::format("<path d=\"M{} {}V{:.1f}H{}\" stroke=\"#444444\" fill=\"none\"/>\n", kLeft, kTop, bottom,
                     kWidth - kRight);
  out += words((kLeft + kWidth - kRight) / 2.0, bottom + 42, "middle",
               plot.x_axis + (across.logarithmic() ? " (logarithmic)" : ""));
  out += words(0, 0, "middle", plot.y_axis + (up.logarithmic() ? " (logarithmic)" : ""),
               fmt::format(" transform=\"translate(20 {:.1f}) rotate(-90)\"", (kTop + bottom) / 2).c_str());
  for (size_t i = 0; i < plot.lines.size(); ++i) {
    const char* colour = kColours[i % std::size(kColours)];
    std::string path, marks;
    for (const LinePlot::Point& p : plot.lines[i].points) {
      if (!shown(p)) continue;
      const double x = across.place(p.x), y = up.place(p.y);
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x, y);
      marks += mark(i, x, y, colour, p.label);
    }
    if (!path.empty())
      out += fmt::format("<path d=\"{}\" stroke=\"{}\" stroke-width=\"2\" fill=\"none\"{}/>\n", path, colour,
                         i < std::size(kColours) ? "" : " stroke-dasharray=\"6 4\"");
    const double y = kHeight + kLegendRow * static_cast<double>(i);
    out += marks + mark(i, kLeft + 4, y - 4, colour, "") + words(kLeft + 16, y, "start", plot.lines[i].name);
  }
  return out + "</svg>\n";
}

}  // namespace kerr::report
