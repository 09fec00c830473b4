// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/streams/rival_library.h"

#include <opencv2/core.hpp>
#include <opencv2/ml.hpp>

namespace tandem::streams {
namespace {

constexpr int kNeighbours = 5, kTrees = 60, kTreeDepth = 20;

class OpenCvRival : public TrainedRival {
 public:
  explicit OpenCvRival(cv::Ptr<cv::ml::StatModel> model) : model_(std::move(model)) {}
  float answer(const std::vector<float>& inputs) const override {
    return model_->predict(
        cv::Mat(1, static_cast<int>(inputs.size()), CV_32F, const_cast<float*>(inputs.data())));
  }

 private:
  const cv::Ptr<cv::ml::StatModel> model_;
};

cv::Ptr<cv::ml::SVM> support_vectors(int type, std::size_t columns) {
  auto svm = cv::ml::SVM::create();
  svm->setType(type);
  svm->setKernel(cv::ml::SVM::RBF);
  svm->setGamma(1.0 / static_cast<double>(columns));
  svm->setC(10);
  svm->setP(0.1);  // the width of the tube, in deviations
  svm->setTermCriteria({cv::TermCriteria::MAX_ITER + cv::TermCriteria::EPS, 20000, 1e-3});
  return svm;
}

cv::Ptr<cv::ml::StatModel> make(RivalKind kind, std::size_t columns) {
  switch (kind) {
    case RivalKind::kSvmRegression:
      return support_vectors(cv::ml::SVM::EPS_SVR, columns);
    case RivalKind::kSvmClassifier:
      return support_vectors(cv::ml::SVM::C_SVC, columns);
    case RivalKind::kRandomForest: {
      auto forest = cv::ml::RTrees::create();
      forest->setMaxDepth(kTreeDepth);
      forest->setMinSampleCount(4);
      forest->setRegressionAccuracy(0);
      forest->setTermCriteria({cv::TermCriteria::MAX_ITER, kTrees, 0});
      return forest;
    }
    default: {
      auto nearest = cv::ml::KNearest::create();
      nearest->setDefaultK(kNeighbours);
      nearest->setIsClassifier(true);
      return nearest;
    }
  }
}

}  // namespace
}  // namespace tandem::streams

extern "C" __attribute__((visibility("default"))) tandem::streams::TrainedRival* tandem_train_rival(
    tandem::streams::RivalKind kind, const tandem::streams::RivalRows& rows) {
  using namespace tandem::streams;
  cv::theRNG().state = 1;  // the same trees each time
  const auto count = static_cast<int>(rows.wanted.size());
  const cv::Mat inputs(count, static_cast<int>(rows.columns), CV_32F,
                       const_cast<float*>(rows.inputs.data()));
  cv::Mat wanted(count, 1, CV_32F, const_cast<float*>(rows.wanted.data()));
  const bool classifies = kind == RivalKind::kSvmClassifier || kind == RivalKind::kNearest;
  if (classifies) wanted.convertTo(wanted, CV_32S);
  auto model = make(kind, rows.columns);
  model->train(cv::ml::TrainData::create(inputs, cv::ml::ROW_SAMPLE, wanted));
  return new OpenCvRival(std::move(model));
}
