// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/virtual_chip/chip/families.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <utility>

namespace tandem::test {
namespace {

// What a family draws beside random_chip(), whose numbers it must not repeat.
class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed ^ 0x9e3779b9U) {}

  double uniform(double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(random_);
  }
  double log_uniform(double least, double most) {
    return least * std::pow(most / least, uniform(0, 1));
  }
  int one_of(int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random_);
  }
  bool happens(double probability) { return uniform(0, 1) < probability; }

 private:
  std::mt19937 random_;
};

double device_frame_s(const Chip& chip) {
  double sum_s = 0;
  for (const Chip::Stage& stage : chip.stages) sum_s += stage.device_s;
  return sum_s;
}

// Copies are as long as kernels where the device is fast, not a part of what a core takes.
void copy_as_long_as_kernels(Chip& chip, Draw& draw, double least, double most) {
  const double frame_s = device_frame_s(chip);
  for (Chip::Stage& stage : chip.stages) {
    stage.upload_s = frame_s * draw.log_uniform(least, most);
    stage.download_s = frame_s * draw.log_uniform(least, most);
  }
  chip.stages.back().download_s = 0;
}

void keep_on_cores(Chip::Stage& stage) {
  stage.has_device = false;
  stage.device_s = stage.upload_s = stage.download_s = 0;
}

FamilyChip plain(unsigned seed) { return {random_chip(seed)}; }

// Sixteen cores slow each other down by 0.005 to 0.06 for each further one, and medium grain gains
// 3 to 12 (large_device_chips()).
FamilyChip many_cores(unsigned seed) {
  return {random_chip(
      seed, {.least_cores = 9, .most_cores = 64, .least_parallel = 0.15, .most_contention = 0.06})};
}

FamilyChip starved_driver(unsigned seed) {
  Chip chip = random_chip(seed, {.least_cores = 6,
                                 .most_cores = 16,
                                 .least_frame_s = 0.7e-3,
                                 .most_frame_s = 60e-3,
                                 .discrete = 1,
                                 .least_speedup = 10,
                                 .most_discrete_speedup = 300,
                                 .least_parallel = 0.15,
                                 .most_contention = 0.06});
  Draw draw(seed);
  copy_as_long_as_kernels(chip, draw, 0.05, 1);
  chip.crowding = draw.uniform(0, 0.03);
  chip.feeding_cores = draw.one_of(1, 5);
  chip.starved = draw.log_uniform(0.35, 1);
  if (draw.happens(0.5)) chip.lanes_crowding = draw.log_uniform(0.05, 0.9);
  return {std::move(chip)};
}

FamilyChip long_frames(unsigned seed) {
  Chip chip = random_chip(seed, {.least_cores = 2,
                                 .most_cores = 16,
                                 .least_frame_s = 10e-3,
                                 .most_frame_s = 0.5,
                                 .least_parallel = 0.3,
                                 .most_contention = 0.06});
  Draw draw(seed);
  // As the second stage of scenes.
  if (chip.stages.size() > 1 && draw.happens(0.3)) keep_on_cores(chip.stages.back());
  return {std::move(chip)};
}

// Half of the chips have two cores, as those that were measured.
FamilyChip device_of_cores(unsigned seed) {
  Draw draw(seed);
  const int most_cores = draw.happens(0.5) ? 2 : 8;
  Chip chip = random_chip(seed, {.least_cores = 2,
                                 .most_cores = most_cores,
                                 .least_frame_s = 2e-3,
                                 .most_frame_s = 0.4,
                                 .discrete = 0});
  for (Chip::Stage& stage : chip.stages) stage.device_s = stage.medium_s * draw.log_uniform(0.7, 4);
  chip.device_threads = chip.cores;
  chip.crowding = 1.0 / chip.cores;
  chip.c.device_w = chip.c.cores_w;
  chip.g = {};
  return {std::move(chip)};
}

enum class Special { serial, cores_alone, device_alone };

void make_special(Chip::Stage& stage, Special special, double frame_s, Draw& draw) {
  if (special == Special::cores_alone) return keep_on_cores(stage);
  if (special == Special::device_alone) {
    stage.has_cpu = false;
    stage.core_s = stage.medium_s = 0;
    return;
  }
  stage.serial = true;
  // More would bound the rate whatever else is chosen.
  stage.core_s = stage.medium_s = frame_s * draw.log_uniform(0.003, 0.3);
  if (draw.happens(0.7)) keep_on_cores(stage);
}

// One stage is special, or two in different ways. Another one stays for both sides.
FamilyChip serial(unsigned seed) {
  Chip chip = random_chip(seed, {.least_cores = 2,
                                 .most_cores = 16,
                                 .least_stages = 2,
                                 .most_frame_s = 25e-3,
                                 .most_contention = 0.06});
  Draw draw(seed);
  double frame_s = 0;
  for (const Chip::Stage& stage : chip.stages) frame_s += stage.core_s;
  const int stages = static_cast<int>(chip.stages.size()), first = draw.one_of(0, stages - 1);
  const int kind = draw.one_of(0, 2);
  make_special(chip.stages[static_cast<std::size_t>(first)], static_cast<Special>(kind), frame_s,
               draw);
  if (stages > 2 && draw.happens(0.5)) {
    const int second = (first + draw.one_of(1, stages - 1)) % stages;
    make_special(chip.stages[static_cast<std::size_t>(second)],
                 static_cast<Special>((kind + draw.one_of(1, 2)) % 3), frame_s, draw);
  }
  return {std::move(chip)};
}

FamilyChip drift(unsigned seed) {
  Chip chip = random_chip(seed);
  Draw draw(seed);
  chip.noise = draw.log_uniform(0.03, 0.15);
  chip.drift = draw.log_uniform(0.02, 0.1);
  chip.drift_lasts_s = draw.log_uniform(0.1, 5);
  // At least half of the cores go on, each at less than its speed, as in bursts_test.
  if (draw.happens(0.5))
    chip.bursts = {draw.log_uniform(1, 10), draw.log_uniform(0.05, 0.5),
                   draw.one_of(chip.cores, 3 * chip.cores / 2)};
  return {std::move(chip)};
}

// Launches take so long that it needs 4.5 to 7 lanes to keep the slowest of kernels and copies
// busy.
FamilyChip eight_lanes(unsigned seed) {
  Chip chip = random_chip(seed, {.least_cores = 4,
                                 .most_cores = 16,
                                 .most_frame_s = 20e-3,
                                 .discrete = 1,
                                 .least_speedup = 8,
                                 .most_discrete_speedup = 100,
                                 .most_contention = 0.06});
  Draw draw(seed);
  copy_as_long_as_kernels(chip, draw, 0.05, 0.8);
  const double kernels_s = device_frame_s(chip), upload_s = chip.stages.front().upload_s;
  const double launches_s =
      draw.uniform(4.5, 7) * std::max(kernels_s, upload_s) - kernels_s - upload_s;
  chip.launch_s = launches_s / static_cast<double>(chip.stages.size());
  return {std::move(chip)};
}

FamilyChip intervals(unsigned seed) { return {with_intervals(random_chip(seed), seed)}; }

FamilyChip one_of_three(unsigned seed) {
  return seed % 3 == 0 ? plain(seed) : seed % 3 == 1 ? many_cores(seed) : eight_lanes(seed);
}

// On the cores time is that of the pixels. On the device a part of each stage and of each copy is
// the same for any frame: launches and latency.
Chip with_pixels(Chip chip, double pixels, double fixed) {
  const double device = fixed + (1 - fixed) * pixels;
  for (Chip::Stage& stage : chip.stages) {
    stage.core_s *= pixels;
    stage.medium_s *= pixels;
    for (double* one : {&stage.device_s, &stage.upload_s, &stage.download_s}) *one *= device;
  }
  return chip;
}

FamilyChip other_size(unsigned seed) {
  FamilyChip made = one_of_three(seed);
  Draw draw(seed);
  const double fixed = draw.uniform(0, 0.5);
  for (const double pixels : {draw.log_uniform(0.2, 0.7), draw.log_uniform(1.5, 5)})
    made.known.push_back({pixels, with_pixels(made.chip, pixels, fixed)});
  if (draw.happens(0.5)) made.known.erase(made.known.begin() + draw.one_of(0, 1));
  return made;
}

// Something else takes the cores or the device, or both became slower, as a machine that is hot.
FamilyChip slower(unsigned seed) {
  FamilyChip made = one_of_three(seed);
  Draw draw(seed);
  made.before = made.chip;
  const int side = draw.one_of(0, 2);
  const double times = draw.log_uniform(1.4, 4);
  for (Chip::Stage& stage : made.chip.stages) {
    if (side != 0)
      for (double* one : {&stage.core_s, &stage.medium_s}) *one *= times;
    if (side != 1)
      for (double* one : {&stage.device_s, &stage.upload_s, &stage.download_s}) *one *= times;
  }
  return made;
}

constexpr std::array kFamilies{
    Family{"plain", "1 to 8 cores, 1 to 6 stages, frames of 1 to 8 ms on a core",
           "the processors of Table V of Vilches", plain},
    Family{"many-cores", "9 to 64 cores, which slow each other down by 6% each at most",
           "hosts of H100 and H200 with 16 and 32 cores", many_cores},
    Family{"starved-driver",
           "6 to 16 cores that compute take time from those that feed a fast device",
           "16 cores with H200 or H100: SRAD 458x502, ViVid, tracking", starved_driver},
    Family{"long-frames", "frames of 10 ms to 0.5 s on a core",
           "scenes 1920x1080: 0.4 s on a core of an H200's host, 0.2 s on two cores", long_frames},
    Family{"device-of-cores",
           "the device computes with threads on all cores, and transfers cost nothing",
           "PoCL on two cores of a Xeon and of an EPYC", device_of_cores},
    Family{"serial", "stages that are serial, of the cores alone or of the device alone",
           "tracking (serial), scenes (cores alone); stages of others (device alone)", serial},
    Family{"drift", "the speed drifts by 2 to 10%, and half have bursts of other threads",
           "H100 and H200 in virtual machines, whose cores do 0.3 to 1 of the most", drift},
    Family{"eight-lanes",
           "a discrete device of long launches, where eight lanes do up to 1.75 times as much as "
           "four",
           "H200, ViVid 800x608: 21 400 frames/s instead of 16 650", eight_lanes},
    Family{"intervals", "stages that compute each second to tenth frame",
           "detection on each fifth frame", intervals},
    Family{"other-size", "nobody trained on this size of frames, and somebody on one or two others",
           "streams of several sizes on any machine", other_size},
    Family{"slower", "after a training the cores, the device or both take 1.4 to 4 times as long",
           "machines on which other programs start", slower},
};

}  // namespace

std::span<const Family> families() { return kFamilies; }

const Family* find_family(std::string_view name) {
  const auto found = std::ranges::find(kFamilies, name, &Family::name);
  return found == kFamilies.end() ? nullptr : &*found;
}

}  // namespace tandem::test
