// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/dataset/photograph.h"

#include <gst/gst.h>
#include <gtest/gtest.h>

#include "tests/pipelines/training/folder.h"

namespace tandem {
namespace {

class PhotographFile : public testing::Test {
 protected:
  static void SetUpTestSuite() { gst_init(nullptr, nullptr); }

  /// Writes a picture of 80x48 that is black on the left and white on the right. Whole blocks:
  /// jpegenc fills up others with whatever is in memory.
  static void write_picture(const std::string& path, const char* encoder) {
    const std::string launch =
        "videotestsrc num-buffers=1 pattern=gradient ! videoflip method=clockwise ! "
        "video/x-raw,format=GRAY8,width=80,height=48 ! " +
        std::string(encoder) + " ! filesink location=\"" + path + "\"";
    GError* error = nullptr;
    GstElement* pipeline = gst_parse_launch(launch.c_str(), &error);
    ASSERT_EQ(error, nullptr) << error->message;
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    GstBus* bus = gst_element_get_bus(pipeline);
    GstMessage* message = gst_bus_timed_pop_filtered(
        bus, GST_CLOCK_TIME_NONE, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
    EXPECT_EQ(GST_MESSAGE_TYPE(message), GST_MESSAGE_EOS);
    gst_message_unref(message);
    gst_object_unref(bus);
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_object_unref(pipeline);
  }
  const Folder folder_;
};

TEST_F(PhotographFile, PngAndJpegAreDecoded) {
  write_picture(folder_ / "a.png", "pngenc");
  write_picture(folder_ / "a.jpg", "jpegenc quality=95");
  const GreyImage png = load_photograph(folder_ / "a.png");
  const GreyImage jpeg = load_photograph(folder_ / "a.jpg");
  for (const GreyImage& image : {png, jpeg}) {
    EXPECT_EQ(image.width, 80);
    EXPECT_EQ(image.height, 48);
    ASSERT_EQ(image.pixels.size(), 80u * 48u);
  }
  for (std::size_t i = 0; i < png.pixels.size(); ++i)
    ASSERT_NEAR(png.pixels[i], jpeg.pixels[i], 12) << i;
}

TEST_F(PhotographFile, WhatIsNoPictureSaysSo) {
  const std::string text = folder_.write("a.jpg", "this is no picture at all");
  EXPECT_NE(error_of([&] { load_photograph(text); }).find("a.jpg"), std::string::npos);
  EXPECT_NE(error_of([&] { load_photograph(folder_ / "b.jpg"); }).find("no such file"),
            std::string::npos);
  const std::string nothing = folder_.write("c.png", "");
  EXPECT_NE(error_of([&] { load_photograph(nothing); }).find("c.png"), std::string::npos);
}

TEST_F(PhotographFile, APictureThatBreaksOffSaysSoOrIsRead) {
  write_picture(folder_ / "a.png", "pngenc");
  std::filesystem::resize_file(folder_ / "a.png", 60);
  EXPECT_NE(error_of([&] { load_photograph(folder_ / "a.png"); }).find("a.png"), std::string::npos);
}

TEST(Mirrored, ExchangesLeftAndRight) {
  const GreyImage image{3, 2, {1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(mirrored(image).pixels, (std::vector<uint8_t>{3, 2, 1, 6, 5, 4}));
}

TEST(PhotographsBelow, AreSortedAndOfKnownKinds) {
  const Folder folder;
  folder.write("b/2.JPG", "");
  folder.write("a.png", "");
  folder.write("b/1.jpeg", "");
  folder.write("readme.txt", "");
  const auto paths = photographs_below(folder.str());
  ASSERT_EQ(paths.size(), 3u);
  EXPECT_EQ(paths[0], folder / "a.png");
  EXPECT_EQ(paths[2], folder / "b/2.JPG");
  EXPECT_THROW(photographs_below(folder / "absent"), std::runtime_error);
}

TEST(PhotographsBelow, FollowLinksButNotInCircles) {
  const Folder folder;
  folder.write("real/1.png", "");
  std::filesystem::create_directory_symlink(folder / "real", folder / "data");
  std::filesystem::create_directory_symlink("..", folder / "real/circle");
  const auto paths = photographs_below(folder / "data");
  // Through the circle the folder is seen once more, as a part of the one around it.
  ASSERT_FALSE(paths.empty());
  EXPECT_EQ(paths[0], folder / "data/1.png");
  EXPECT_LE(paths.size(), 2u);
  EXPECT_EQ(photographs_below(folder.str()).size(), 2u);
}

}  // namespace
}  // namespace tandem
