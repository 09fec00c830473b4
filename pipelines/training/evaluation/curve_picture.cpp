// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/evaluation/curve_picture.h"

#include <array>
#include <sstream>

#include "pipelines/report/markup.h"

namespace tandem {
namespace {

constexpr int kSide = 360, kLeft = 56, kTop = 40;  // of the square that recall and precision span

// Coordinates need no more than a tenth of a pixel.
std::string coordinate(double value) { return fixed(value, 1); }

double x_of(double recall) { return kLeft + recall * kSide; }
double y_of(double precision) { return kTop + (1 - precision) * kSide; }

std::string text_at(double x, double y, const std::string& attributes, const std::string& text) {
  return "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" " + attributes + ">" +
         escaped(text) + "</text>\n";
}

std::string grid() {
  std::string out;
  for (int i = 0; i <= 10; i += 2) {
    const double v = i / 10.0;
    out += "<path d=\"M" + coordinate(x_of(v)) + " " + coordinate(y_of(0)) + "V" +
           coordinate(y_of(1)) + "M" + coordinate(x_of(0)) + " " + coordinate(y_of(v)) + "H" +
           coordinate(x_of(1)) + "\" stroke=\"#ccc\"/>\n";
    out += text_at(x_of(v), y_of(0) + 18, "text-anchor=\"middle\"", coordinate(v));
    out += text_at(x_of(0) - 8, y_of(v) + 4, "text-anchor=\"end\"", coordinate(v));
  }
  out += text_at(x_of(0.5), y_of(0) + 38, "text-anchor=\"middle\"", "recall");
  out += text_at(x_of(0), kTop - 10, "text-anchor=\"middle\"", "precision");
  return out;
}

std::string path_of(const std::vector<CurvePoint>& curve) {
  std::string out;
  double drawn_x = -1, drawn_y = -1;
  for (const CurvePoint& point : curve) {
    const double x = x_of(point.recall), y = y_of(point.precision);
    // Steps that nobody can see would only make the file large.
    if (&point != &curve.back() && std::abs(x - drawn_x) + std::abs(y - drawn_y) < 1) continue;
    out += out.empty() ? 'M' : 'L';
    out += coordinate(x) + " " + coordinate(y);
    drawn_x = x;
    drawn_y = y;
  }
  return out;
}

}  // namespace

std::string curve_picture(const std::string& title, const std::vector<NamedCurve>& curves) {
  static const std::array<const char*, 6> kColours = {"#0b61a4", "#c43302", "#2e7d32",
                                                      "#7b1fa2", "#8d6e00", "#555555"};
  std::ostringstream file;
  file << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"440\" height=\"460\" "
          "font-family=\"sans-serif\" font-size=\"12\">\n"
       << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
       << text_at(x_of(0.5), 18, "text-anchor=\"middle\" font-size=\"14\"", title) << grid();
  for (std::size_t i = 0; i < curves.size() && i < kColours.size(); ++i) {
    file << "<path d=\"" << path_of(curves[i].evaluation.curve)
         << "\" fill=\"none\" stroke-width=\"2\" stroke=\"" << kColours[i] << "\"/>\n"
         << text_at(x_of(0) + 10, y_of(0) - 12 - 16.0 * static_cast<double>(curves.size() - 1 - i),
                    std::string("fill=\"") + kColours[i] + "\"",
                    curves[i].name + ", average precision " +
                        fixed(curves[i].evaluation.average_precision, 3));
  }
  file << "</svg>\n";
  return file.str();
}

}  // namespace tandem
