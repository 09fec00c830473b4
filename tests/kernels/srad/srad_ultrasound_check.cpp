// SPDX-License-Identifier: LGPL-2.1-or-later
// 100 iterations on Rodinia's ultrasound image, against the result that Rodinia publishes.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "tests/kernels/srad/srad_implementation.h"
#include "tests/kernels/support/guarded.h"
#include "tests/kernels/support/opencl_implementation.h"

namespace tandem::check {
namespace {

constexpr int kIterations = 100;
constexpr float kLambda = 0.5f;

/// Sums in double precision on this image: before the first and before the last iteration.
constexpr double kFirstMean = 1.552873, kFirstVariation = 0.05132019, kLastVariation = 0.04393130;

/// A plain (P2) PGM.
Guarded<uint8_t> read_picture(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string word;
  std::vector<int> numbers;
  file >> word;
  EXPECT_EQ(word, "P2") << path;
  while (file >> word) {
    if (word[0] == '#') {
      std::getline(file, word);
    } else {
      numbers.push_back(std::stoi(word));
    }
  }
  if (numbers.size() < 3 || numbers.size() != 3 + std::size_t(numbers[0]) * numbers[1]) {
    ADD_FAILURE() << path << " is damaged";
    return {1, 1};
  }
  Guarded<uint8_t> picture(numbers[0], numbers[1]);
  for (int y = 0; y < picture.height(); ++y) {
    for (int x = 0; x < picture.width(); ++x)
      picture.row(y)[x] = static_cast<uint8_t>(numbers[3 + y * picture.width() + x]);
  }
  return picture;
}

std::optional<std::filesystem::path> data_folder() {
  const char* root = std::getenv("TANDEM_TEST_DATA");
  if (root == nullptr) return std::nullopt;
  const std::filesystem::path folder = std::filesystem::path(root) / "srad-ultrasound";
  return std::filesystem::is_directory(folder) ? std::optional(folder) : std::nullopt;
}

/// Calls run(band) for bands of all rows.
using Bands = std::function<void(int rows, const std::function<void(Rows)>& run)>;

void all_at_once(int rows, const std::function<void(Rows)>& run) { run({0, rows}); }
void over_the_cores(int rows, const std::function<void(Rows)>& run) {
  tbb::parallel_for(tbb::blocked_range<int>(0, rows, 7), [&](const auto& band) {
    run({band.begin(), band.end()});
  });
}

/// The reference and SIMD, in bands or not.
void despeckle(const SradStages& stages, const Bands& bands, Guarded<uint8_t>& luma) {
  const int width = luma.width(), height = luma.height();
  Guarded<float> image(width, height), squares(width, height), differences(width, 2 * height),
      coefficient(width, height);
  std::vector<Rows> rows;
  for (int y = 0; y < height; y += 50) rows.push_back({y, std::min(y + 50, height)});
  bands(height, [&](Rows band) { stages.extract(luma.plane(), image.plane(), band); });
  for (int i = 0; i < kIterations; ++i) {
    bands(height, [&](Rows band) { stages.prepare(image.plane(), squares.plane(), band); });
    const SradStatistics statistics = stages.reduce(image.plane(), squares.plane(), rows);
    if (i == 0) {
      EXPECT_NEAR(statistics.mean, kFirstMean, 1e-6);
      EXPECT_NEAR(statistics.variation, kFirstVariation, 1e-7);
    }
    if (i + 1 == kIterations) {
      EXPECT_NEAR(statistics.variation, kLastVariation, 1e-6);
    }
    bands(height, [&](Rows band) {
      stages.diffuse(image.plane(), statistics.variation, differences.plane(), coefficient.plane(),
                     band);
    });
    bands(height, [&](Rows band) {
      stages.update(image.plane(), differences.plane(), coefficient.plane(), kLambda, image.plane(),
                    band);
    });
  }
  bands(height, [&](Rows band) { stages.compress(image.plane(), luma.plane(), band); });
}

/// As a frame passes the device: nothing comes back between the iterations.
void despeckle(const OpenCLDevice& device, Guarded<uint8_t>& luma) {
  using Access = opencl::Buffer::Access;
  const int width = luma.width(), height = luma.height();
  const std::size_t pixels = static_cast<std::size_t>(width) * height, bytes = 4 * pixels;
  opencl::Queue queue(device.context);
  const SradOpenCL kernels(*device.context);
  opencl::Buffer luma_buffer(device.context, pixels), image_buffer(device.context, bytes),
      squares_buffer(device.context, bytes), differences_buffer(device.context, 2 * bytes),
      coefficient_buffer(device.context, bytes), sums_buffer(device.context, height * 16u),
      statistics_buffer(device.context, 8);
  const auto plane = [&](opencl::Buffer& buffer, int planes = 1) {
    return opencl::DevicePlane{buffer.device(queue, Access::read_write), 0, width, planes * height,
                               width};
  };
  const Rows all{0, height};
  luma_buffer.enqueue_upload_rows(queue, luma.row(0), pixels / height, height, luma.plane().stride);
  const auto image = plane(image_buffer), squares = plane(squares_buffer),
             differences = plane(differences_buffer, 2), coefficient = plane(coefficient_buffer);
  const opencl::DeviceSpan sums{sums_buffer.device(queue, Access::read_write)},
      statistics{statistics_buffer.device(queue, Access::read_write)};
  kernels.extract(queue, plane(luma_buffer), image, all);
  for (int i = 0; i < kIterations; ++i) {
    kernels.prepare(queue, image, squares, all);
    kernels.reduce(queue, image, squares, sums, statistics);
    kernels.diffuse(queue, image, statistics, differences, coefficient, all);
    kernels.update(queue, image, differences, coefficient, kLambda, image, all);
  }
  kernels.compress(queue, image, plane(luma_buffer), all);
  queue.finish();
  const auto* result = static_cast<const uint8_t*>(luma_buffer.host(Access::read));
  for (int y = 0; y < height; ++y) std::copy_n(result + y * width, width, luma.row(y));
}

void expect_published_result(const std::function<void(Guarded<uint8_t>&)>& despeckle_picture) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << "needs data: TANDEM_TEST_DATA/srad-ultrasound (Rodinia)";
  const Guarded<uint8_t> expected =
      read_picture(*folder / "expected_image_out_iter100_lambda0.5.pgm");
  Guarded<uint8_t> luma = read_picture(*folder / "image_458x502.pgm");
  despeckle_picture(luma);
  ASSERT_EQ(luma.width(), expected.width());
  ASSERT_EQ(luma.height(), expected.height());
  // Rodinia cuts off where we round: ours are up to one level above.
  for (int y = 0; y < expected.height(); ++y) {
    for (int x = 0; x < expected.width(); ++x)
      ASSERT_LE(std::abs(luma.row(y)[x] - expected.row(y)[x]), 1) << x << ", " << y;
  }
  EXPECT_TRUE(luma.intact());
}

TEST(SradUltrasound, Reference) {
  expect_published_result([](auto& luma) { despeckle(srad_reference(), all_at_once, luma); });
}

TEST(SradUltrasound, Simd) {
  for (const SradStages& stages : srad_implementations()) {
    if (!stages.thread_safe) continue;
    SCOPED_TRACE(stages.name);
    use_simd_target(stages.target);
    expect_published_result([&](auto& luma) { despeckle(stages, all_at_once, luma); });
  }
  use_simd_target(0);
}

TEST(SradUltrasound, SimdInBands) {
  expect_published_result(
      [](auto& luma) { despeckle(srad_implementations().front(), over_the_cores, luma); });
}

TEST(SradUltrasound, OpenCL) {
  if (opencl_devices().empty()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  for (const OpenCLDevice& device : opencl_devices()) {
    SCOPED_TRACE(device.name);
    expect_published_result([&](auto& luma) { despeckle(device, luma); });
  }
}

}  // namespace
}  // namespace tandem::check
