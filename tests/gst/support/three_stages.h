// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <fstream>
#include <string>
#include <utility>

namespace tandem {

/// Writes three stage files into a folder; the stages of a bin with them. Each reads neighbours of
/// what the one before it made, so that they are no single pass.
inline std::string write_three_stages(const std::string& folder) {
  constexpr std::pair<const char*, const char*> kStages[] = {
      {"soften",
       "//!READ luma halo=1\n//!WRITE soft float32\n//!MAP\n"
       "for (int v = -1; v <= 1; ++v)\n  for (int u = -1; u <= 1; ++u) soft += luma(u, v) / 9;\n"},
      {"slope",
       "//!READ soft float32 halo=1\n//!WRITE slope float32\n//!MAP\n"
       "slope = fabs(soft(1, 0) - soft(-1, 0)) + fabs(soft(0, 1) - soft(0, -1));\n"},
      {"ridge",
       "//!READ slope float32 halo=2\n//!WRITE luma\n//!MAP\nfloat most = 0;\n"
       "for (int v = -2; v <= 2; ++v) most = fmax(most, slope(0, v));\n"
       "luma = convert_uchar_sat(slope(0, 0) >= most ? 4 * slope(0, 0) : 0);\n"}};
  std::string line;
  for (const auto& [name, text] : kStages) {
    const std::string path = folder + "/" + name + ".cl";
    std::ofstream(path) << "//!STAGE " << name << '\n' << text;
    line += (line.empty() ? "" : " ! ") + ("kernelstage location=" + path);
  }
  return line;
}

}  // namespace tandem
