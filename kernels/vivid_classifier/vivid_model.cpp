// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/vivid_classifier/vivid_model.h"

#include "files/utf8.h"
#include "kernels/util/model_file.h"

// Layout, little endian:
//   "TANDEMVIVID\0"                            12 bytes
//   u32 version, filters, blocks of a window, bytes of the label, bytes of the origin
//   f32 default threshold, bias, epsilon
//   label, origin                              not terminated
//   f32 9 * filters filter coefficients, 4 * blocks * filters SVM weights
//   u64 FNV-1a of everything above
namespace tandem {
namespace {

constexpr ModelFormat kVividFormat{std::string_view("TANDEMVIVID\0", 12), 1,
                                   "a Tandem person model (made by tandem train-detector)"};
constexpr std::size_t kVividHeaderBytes = 4 * 4 + 3 * 4;  // behind the version

std::size_t weight_count(std::size_t filters) { return filters * VividWindow::kBlocks * 4; }

}  // namespace

VividModel load_vivid_model(const std::string& path) {
  ModelReader in(path, kVividFormat, kVividHeaderBytes);
  const auto filters = in.value<uint32_t>();
  const auto blocks = in.value<uint32_t>();
  const auto label_bytes = in.value<uint32_t>();
  const auto origin_bytes = in.value<uint32_t>();
  if (filters < 1 || filters > 255 || blocks != VividWindow::kBlocks ||
      label_bytes > kMostModelText || origin_bytes > kMostModelText)
    in.fail("has impossible sizes in its header: it is damaged, copy it again");
  in.check_size(label_bytes + origin_bytes + 4 * (9 * filters + weight_count(filters)));

  VividModel model;
  model.default_threshold = in.finite();
  model.svm.bias = in.finite();
  model.svm.epsilon = in.finite();
  model.label = in.text(label_bytes, "a label");
  model.origin = in.text(origin_bytes, "an origin");
  model.bank.count = model.svm.filters = static_cast<int>(filters);
  model.bank.coefficients = in.floats(9 * filters);
  model.svm.weights = in.floats(weight_count(filters));
  if (model.svm.epsilon <= 0) in.fail("has an epsilon that is not positive; train it again");
  return model;
}

void save_vivid_model(const VividModel& model, const std::string& path) {
  const auto filters = static_cast<std::size_t>(model.bank.count);
  if (filters < 1 || filters > 255 || model.svm.filters != model.bank.count ||
      model.bank.coefficients.size() != 9 * filters ||
      model.svm.weights.size() != weight_count(filters))
    fail_model(path, "was not written: the filter bank and the SVM do not belong together");
  if (model.label.size() > kMostModelText || model.origin.size() > kMostModelText)
    fail_model(path, "was not written: its label or origin is too long");
  if (!is_utf8(model.label) || !is_utf8(model.origin))
    fail_model(path, "was not written: its label or origin is not UTF-8");

  ModelWriter out(kVividFormat);
  out.value(static_cast<uint32_t>(filters));
  out.value(static_cast<uint32_t>(VividWindow::kBlocks));
  out.value(static_cast<uint32_t>(model.label.size()));
  out.value(static_cast<uint32_t>(model.origin.size()));
  out.value(model.default_threshold);
  out.value(model.svm.bias);
  out.value(model.svm.epsilon);
  out.text(model.label);
  out.text(model.origin);
  out.floats(model.bank.coefficients);
  out.floats(model.svm.weights);
  out.save(path);
}

}  // namespace tandem
