// SPDX-License-Identifier: LGPL-2.1-or-later
// What is written depends on the fonts of the machine: tests of a script say which package has it.
#include "gst/overlay/lettering.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

namespace tandem {
namespace {

constexpr int kEm = 20, kWidest = 640;

int64_t ink_of(const WrittenLine& line) {
  return std::accumulate(line.coverage.values.begin(), line.coverage.values.end(), int64_t{0}) /
         255;
}

void expect_consistent(const WrittenLine& line) {
  EXPECT_EQ(line.coverage.values.size(), std::size_t(line.coverage.width) * line.coverage.height);
  EXPECT_LE(line.width, kWidest);
  EXPECT_LE(line.coverage.width, kWidest + 2 * kEm);
  EXPECT_LE(line.coverage.height, 6 * kEm);
}

struct Script {
  const char* name;
  const char* text;
  const char* package;
};

class LetteringScript : public testing::TestWithParam<Script> {};

TEST_P(LetteringScript, HasLettersAndNoBoxesInTheirPlace) {
  Lettering lettering(kEm, kWidest);
  ASSERT_TRUE(lettering.has_fonts());
  const auto line = lettering.write(GetParam().text);
  if (line->unknown_glyphs) GTEST_SKIP() << "needs " << GetParam().package;
  expect_consistent(*line);
  EXPECT_GE(line->width, 2 * kEm);
  EXPECT_LT(line->width, 8 * kEm);
  // Between a tenth and a half of the line is ink.
  const int area = line->width * (line->above + line->below);
  EXPECT_GT(ink_of(*line), area / 10);
  EXPECT_LT(ink_of(*line), area / 2);
  EXPECT_LE(line->x, kEm / 4) << "text from right to left begins at the left end, too";
}

INSTANTIATE_TEST_SUITE_P(Scripts, LetteringScript,
                         testing::Values(Script{"Latin", "bicyclette", "fonts-dejavu-core"},
                                         Script{"Greek", "άνθρωπος", "fonts-dejavu-core"},
                                         Script{"Cyrillic", "человек", "fonts-dejavu-core"},
                                         Script{"Arabic", "شخص يمشي", "fonts-dejavu-core"},
                                         Script{"Devanagari", "व्यक्ति", "fonts-lohit-deva"},
                                         Script{"Chinese", "行人和车", "fonts-droid-fallback"}),
                         [](const auto& script) { return std::string(script.param.name); });

// Letters of Arabic join: written together they are not what they are side by side.
TEST(Lettering, ShapesLetters) {
  Lettering lettering(kEm, kWidest);
  const auto alone = lettering.write("ه"), joined = lettering.write("ههه");
  if (alone->unknown_glyphs) GTEST_SKIP() << "needs fonts-dejavu-core";
  EXPECT_NE(joined->width, 3 * alone->width);
}

TEST(Lettering, CountsWhatNoFontHas) {
  Lettering lettering(kEm, kWidest);
  EXPECT_EQ(lettering.write("person")->unknown_glyphs, 0);
  EXPECT_GT(lettering.write("\xF4\x8F\xBF\xBD")->unknown_glyphs, 0);  // U+10FFFD, of private use
}

TEST(Lettering, AwkwardText) {
  Lettering lettering(kEm, kWidest);
  std::string piled = "a";
  for (int i = 0; i < 200; ++i) piled += "\xCC\x81";  // accents
  for (const std::string& text :
       {std::string(), std::string("\xff\x80\xe2"), std::string("caf\xe9"),
        std::string("\xed\xa0\x80"), std::string("two\nlines\ttab\r"), std::string("\x01\x7f"),
        std::string("nul\0inside", 10), std::string(100000, 'W'), std::string(100000, '\xff'),
        piled}) {
    expect_consistent(*lettering.write(text));
  }
  EXPECT_EQ(lettering.write("")->width, 0);
  EXPECT_GT(ink_of(*lettering.write("caf\xe9")), ink_of(*lettering.write("caf")));
}

TEST(Lettering, LongTextIsCutBetweenCharacters) {
  Lettering lettering(kEm, 1 << 14);
  std::string text(Lettering::kMostBytes - 1, ' ');
  EXPECT_EQ(lettering.write(text + "é")->coverage.width, 0);
}

TEST(Lettering, KeepsWhatItWroteWithinABound) {
  Lettering lettering(kEm, kWidest);
  const auto first = lettering.write("person");
  EXPECT_EQ(lettering.write("person"), first);
  for (int i = 0; i < 2000; ++i) {
    lettering.write("a label with the number " + std::to_string(i));
    ASSERT_LE(lettering.kept_bytes(), Lettering::kMostKept);
    if (i < 50) {
      ASSERT_EQ(lettering.write("person"), first) << "what is used stays";
    }
  }
  const auto again = lettering.write("person");
  EXPECT_NE(again, first) << "what was not used for long is forgotten";
  EXPECT_EQ(again->coverage.values, first->coverage.values);
}

// A frame of one byte a pixel with a label at `box`.
class LabelledFrame {
 public:
  LabelledFrame(int width, int height) : pixels_(std::size_t(width) * height, kBackground) {
    gst_video_info_set_format(&frame_.info, GST_VIDEO_FORMAT_GRAY8, width, height);
    frame_.info.stride[0] = width;
    frame_.data[0] = pixels_.data();
  }
  bool draw(const Rect& box, const char* label, const char* confidence) {
    Canvas canvas(&frame_);
    return BoxLabels(canvas.width(), canvas.height())
        .draw(canvas, box, label, confidence, {255, 255, 255});
  }
  int changed(int first_row, int rows) const {
    const auto begin = pixels_.begin() + std::ptrdiff_t(first_row) * frame_.info.width;
    return static_cast<int>(std::count_if(begin, begin + std::ptrdiff_t(rows) * frame_.info.width,
                                          [](uint8_t pixel) { return pixel != kBackground; }));
  }

 private:
  static constexpr uint8_t kBackground = 100;
  GstVideoFrame frame_ = {};
  std::vector<uint8_t> pixels_;
};

TEST(BoxLabels, AboveTheBoxOrInsideOfIt) {
  LabelledFrame above(200, 100), inside(200, 100);
  EXPECT_TRUE(above.draw({20, 50, 40, 40}, "person", "0.87"));
  EXPECT_GT(above.changed(20, 30), 300);
  EXPECT_EQ(above.changed(50, 50), 0);
  EXPECT_TRUE(inside.draw({20, 2, 40, 40}, "person", "0.87"));
  EXPECT_EQ(inside.changed(0, 2), 0);
  EXPECT_GT(inside.changed(2, 30), 300);
}

TEST(BoxLabels, LabelAndConfidenceStandOnOneLine) {
  LabelledFrame both(300, 100), label(300, 100);
  both.draw({10, 60, 40, 30}, "व्यक्ति", "0.87");
  label.draw({10, 60, 40, 30}, "व्यक्ति", "");
  EXPECT_GT(both.changed(0, 60), label.changed(0, 60));
}

}  // namespace
}  // namespace tandem
