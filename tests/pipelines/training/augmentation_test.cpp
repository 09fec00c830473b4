// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/detector/augmentation.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

LoadedPhotograph photograph(std::vector<Box> people) {
  return {{"p", "p.jpg", std::move(people), {{40, 20, 10, 20}}},
          {400, 200, std::vector<uint8_t>(400 * 200, 7)}};
}

TEST(MedianHeight, IsTheMiddleOne) {
  EXPECT_EQ(median_height(photograph({{0, 0, 9, 30}, {0, 0, 9, 140}, {0, 0, 9, 50}}).photograph),
            50);
  EXPECT_EQ(median_height(photograph({}).photograph), 0);
}

TEST(SoftCopies, ReduceLargePeople) {
  const auto all = with_soft_copies({photograph({{100, 40, 60, 140}})}, 70);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].image.width, 400);
  EXPECT_EQ(all[1].image.width, 200);
  EXPECT_EQ(all[1].image.height, 100);
  EXPECT_EQ(all[1].image.pixels.size(), 200u * 100u);
  const Box person = all[1].photograph.objects[0], ignored = all[1].photograph.ignored[0];
  EXPECT_FLOAT_EQ(person.x, 50);
  EXPECT_FLOAT_EQ(person.y, 20);
  EXPECT_FLOAT_EQ(person.width, 30);
  EXPECT_FLOAT_EQ(person.height, 70);
  EXPECT_FLOAT_EQ(ignored.width, 5);
}

TEST(SoftCopies, LeaveSmallPeopleAndEmptyPhotographs) {
  const std::vector<LoadedPhotograph> photographs = {photograph({{0, 0, 30, 70}}), photograph({})};
  EXPECT_EQ(with_soft_copies(photographs, 70).size(), 2u);
  EXPECT_EQ(with_soft_copies({photograph({{0, 0, 60, 140}})}, 0).size(), 1u);
}

TEST(WithRoom, AddsAThirdOnEachSide) {
  LoadedPhotograph p = photograph({{100, 40, 60, 140}});
  p.image.pixels[0] = 200;
  const LoadedPhotograph wide = with_room(p);
  EXPECT_EQ(wide.image.width, 400 + 2 * 133);
  EXPECT_EQ(wide.image.height, 200 + 2 * 66);
  EXPECT_EQ(wide.image.plane().row(0)[0], 200) << "the corner is repeated";
  EXPECT_EQ(wide.image.plane().row(66)[133], 200);
  EXPECT_EQ(wide.image.plane().row(66)[134], 7);
  EXPECT_FLOAT_EQ(wide.photograph.objects[0].x, 233);
  EXPECT_FLOAT_EQ(wide.photograph.objects[0].y, 106);
  EXPECT_FLOAT_EQ(wide.photograph.objects[0].height, 140);
  EXPECT_FLOAT_EQ(wide.photograph.ignored[0].x, 173);
}

}  // namespace
}  // namespace tandem
