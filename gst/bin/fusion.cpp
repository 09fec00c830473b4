// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/fusion.h"

#include <gst/tandem/private/flow/slottensors.h>
#include <gst/tandem/private/framepixels.h>

#include <algorithm>
#include <cstdlib>
#include <future>

GST_DEBUG_CATEGORY_EXTERN(tandem_bin_debug);
#define GST_CAT_DEFAULT tandem_bin_debug

namespace tandem::bin {
namespace {

using Access = opencl::Buffer::Access;

Plane<uint8_t> pixels_of(const FrameItem& item, int component) {
  const GstVideoFrame& video = item.video;
  return {static_cast<uint8_t*>(GST_VIDEO_FRAME_COMP_DATA(&video, component)),
          GST_VIDEO_FRAME_COMP_WIDTH(&video, component),
          GST_VIDEO_FRAME_COMP_HEIGHT(&video, component),
          GST_VIDEO_FRAME_COMP_STRIDE(&video, component)};
}

bool reads(const StageAdapter& stage, const std::string& tensor) {
  return std::ranges::any_of(stage.description().inputs,
                             [&](const auto& input) { return tensor == input.tensor.text(); });
}

bool is_read_behind(std::span<StageAdapter* const> chain, std::size_t last,
                    const std::string& tensor) {
  return std::ranges::any_of(chain.subspan(last + 1),
                             [&](const StageAdapter* stage) { return reads(*stage, tensor); });
}

// For measuring and for tests: stages one by one.
bool is_off() { return std::getenv("TANDEM_NO_FUSION") != nullptr; }

}  // namespace

void FusedStages::compile(const std::shared_ptr<opencl::Context>& context) {
  const auto attempt = [&](const char* side, auto&& body) {
    try {
      body();
    } catch (const std::exception& error) {
      GST_INFO("stages %zu and %zu behind it are not fused on %s: %s", first_,
               fused_.file.parts.size() - 1, side, error.what());
    }
  };
  if (!std::exchange(tried_host_, true) && has_cores(fused_.file)) {
    attempt("the cores", [&] {
      host_ = std::make_unique<HostStage>(fused_.file, fused_.plan);
      has_host_ = true;
    });
  }
  if (context && !std::exchange(tried_device_, true)) {
    attempt("the device", [&] {
      device_ = std::make_unique<StageFileOpenCL>(*context, fused_.file, fused_.plan);
      has_device_ = true;
    });
  }
}

FusedStages::Layouts FusedStages::layouts(const FrameItem& item) const {
  Layouts layouts;
  for (std::size_t k = 0; k < files_.size(); ++k)
    layouts[k] = files_[k]->layout(item.slots[first_ + k].work->data.get());
  return layouts;
}

FusedStages::Tensor FusedStages::tensor(FrameItem& item, const Layouts& layouts,
                                        std::size_t i) const {
  const FusedFiles::Origin& origin = fused_.origins[i];
  return {item.slots[first_ + origin.file],
          layouts[origin.file].places[static_cast<std::size_t>(origin.tensor)]};
}

StageView FusedStages::view(const FrameItem& item, std::size_t i, void* data) const {
  const StageShape& shape = fused_.plan.tensors[i].shape;
  const int columns = shape.columns(GST_VIDEO_FRAME_WIDTH(&item.video));
  return {data, columns, columns, shape.rows(GST_VIDEO_FRAME_HEIGHT(&item.video))};
}

// Each stage has the values that its own work was made with.
StageCall FusedStages::call(const FrameItem& item, const Layouts& layouts, const Views& views,
                            Values& values) const {
  std::size_t count = 0;
  for (std::size_t k = 0; k < files_.size(); ++k)
    for (const StageValue value : layouts[k].parameters) values[count++] = value;
  return {.width = GST_VIDEO_FRAME_WIDTH(&item.video),
          .height = GST_VIDEO_FRAME_HEIGHT(&item.video),
          .parameters = values.data(),
          .tensors = views.data()};
}

void FusedStages::begin(FrameItem& item) const {
  const Layouts layouts = this->layouts(item);
  // Inputs first: an output may be one of them.
  for (std::size_t i = 0; i < fused_.origins.size(); ++i) {
    const Tensor at = tensor(item, layouts, i);
    if (at.place.input >= 0) at.host_input() = at.input().buffer->host(Access::read);
    if (at.place.interleaved) at.host_output() = at.output().buffer->host(Access::read);
  }
  for (std::size_t i = 0; i < fused_.origins.size(); ++i) {
    const Tensor at = tensor(item, layouts, i);
    if (at.is_output()) at.host_output() = at.output().buffer->host(Access::write);
  }
}

int FusedStages::rows(const FrameItem& item) const {
  return host_->rows(
      {.width = GST_VIDEO_FRAME_WIDTH(&item.video), .height = GST_VIDEO_FRAME_HEIGHT(&item.video)});
}

void FusedStages::compute(FrameItem& item, Rows rows) const {
  const Layouts layouts = this->layouts(item);
  Views views;
  Values values;
  for (std::size_t i = 0; i < fused_.origins.size(); ++i) {
    const Tensor at = tensor(item, layouts, i);
    if (at.place.component >= 0 && !at.place.interleaved) {
      const Plane<uint8_t> pixels = pixels_of(item, at.place.component);
      views[i] = {pixels.data, pixels.stride, pixels.width, pixels.height};
    } else {
      views[i] = view(item, i, at.place.input >= 0 ? at.host_input() : at.host_output());
    }
  }
  host_->compute(call(item, layouts, views, values), rows);
}

void FusedStages::enqueue(FrameItem& item, opencl::Queue& queue) const {
  const Layouts layouts = this->layouts(item);
  Views views;
  Values values;
  for (std::size_t i = 0; i < fused_.origins.size(); ++i) {
    const Tensor at = tensor(item, layouts, i);
    if (at.place.component >= 0) {
      opencl::Buffer& packed = *at.output().buffer;
      if (!at.place.interleaved) {
        const Plane<uint8_t> pixels = pixels_of(item, at.place.component);
        packed.enqueue_upload_rows(queue, pixels.data, static_cast<std::size_t>(pixels.width),
                                   pixels.height, static_cast<std::size_t>(pixels.stride));
      }
      views[i] = view(item, i, packed.device(queue, Access::read));
    } else if (at.place.input >= 0) {
      views[i] = view(item, i, at.input().buffer->device(queue, Access::read));
    }
  }
  for (std::size_t i = 0; i < fused_.origins.size(); ++i) {
    const Tensor at = tensor(item, layouts, i);
    if (at.is_output()) views[i] = view(item, i, at.output().buffer->device(queue, Access::write));
  }
  device_->enqueue(queue, call(item, layouts, views, values));
  if (fused_.luma >= 0 && !takes_luma_from_device(item.video))
    luma(item, layouts).buffer->enqueue_download(queue);
}

SlotTensor& FusedStages::luma(FrameItem& item, const Layouts& layouts) const {
  return tensor(item, layouts, static_cast<std::size_t>(fused_.luma)).output();
}

// The frame gets its luma when all of the stages are done: until then they can be computed again.
void FusedStages::finish(FrameItem& item) const {
  if (fused_.luma >= 0) take_luma(*luma(item, layouts(item)).buffer, item.video);
}

/// A stage that others may be computed together with, as the scheduler sees it.
class Fusion::Leader final : public Stage {
 public:
  Leader(const Fusion& all, int index)
      : all_(all), index_(index), own_(*all.adapters_[static_cast<std::size_t>(index)]) {}

  std::string name() const override { return own_.name(); }
  bool serial() const override { return own_.serial(); }
  bool changes_item() const override { return own_.changes_item(); }
  bool has_device(int kind) const override { return own_.has_device(kind); }
  bool has_cpu() const override { return own_.has_cpu(); }

  void lead(Item& item, int count) override { slot(item).leads = count; }

  Status prepare(Item& item) override {
    Status status;
    for (int k = index_; k < index_ + slot(item).leads && status.ok(); ++k)
      status = all_.adapters_[static_cast<std::size_t>(k)]->prepare(item);
    return status;
  }
  Status begin(Item& item) override {
    if (slot(item).leads == 1) return own_.begin(item);
    return StageAdapter::guard_of(frame(item), [&]() -> Status {
      pass(item).begin(frame(item));
      return {};
    });
  }
  int rows(const Item& item) const override {
    return slot(item).leads == 1 ? own_.rows(item) : pass(item).rows(frame(item));
  }
  void compute(Item& item, int first, int last) override {
    if (slot(item).leads == 1) return own_.compute(item, first, last);
    pass(item).compute(frame(item), {first, last});
  }
  Status enqueue(Item& item, bool to_host) override {
    if (slot(item).leads == 1) return own_.enqueue(item, to_host);
    return StageAdapter::guard_of(frame(item), [&]() -> Status {
      for (int k = index_; k < index_ + slot(item).leads; ++k) {
        GstTandemFrame& each = frame(item).slots[static_cast<std::size_t>(k)];
        if (!each.work->context) return Status::device_failed(each.work->device_problem);
        localise_inputs(each);
      }
      pass(item).enqueue(frame(item), frame(item).queue());
      if (to_host || frame(item).keep_tensors) download(item);
      return {};
    });
  }
  Status enqueue_copy(Item& item, bool to_host) override {
    if (slot(item).leads == 1) return own_.enqueue_copy(item, to_host);
    return StageAdapter::guard_of(frame(item), [&]() -> Status {
      if (to_host) {
        download(item);
        return {};
      }
      pass(item).each_output(frame(item), [&](const SlotTensor& output) {
        output.buffer->host(Access::read_write);  // makes the device side stale
        output.buffer->device(frame(item).queue(), Access::read);
      });
      return {};
    });
  }
  Status finish(Item& item, bool on_device) override {
    if (slot(item).leads == 1) return own_.finish(item, on_device);
    return StageAdapter::guard_of(frame(item), [&]() -> Status {
      pass(item).finish(frame(item));
      return {};
    });
  }

  // Stages of a split frame are computed one by one.
  bool can_split() const override { return own_.can_split(); }
  bool joins() const override { return own_.joins(); }
  SplitRows needs(const Item& item, int producer, const SplitRows& rows) const override {
    return own_.needs(item, producer, rows);
  }
  Status share(Item& item, const SplitRows& rows) override { return own_.share(item, rows); }
  Status enqueue_split(Item& item, const SplitRows& rows, bool to_host) override {
    return own_.enqueue_split(item, rows, to_host);
  }
  Status finish_split(Item& item, const SplitRows& rows) override {
    return own_.finish_split(item, rows);
  }

 private:
  static FrameItem& frame(Item& item) { return static_cast<FrameItem&>(item); }
  static const FrameItem& frame(const Item& item) { return static_cast<const FrameItem&>(item); }
  GstTandemFrame& slot(Item& item) const {
    return frame(item).slots[static_cast<std::size_t>(index_)];
  }
  const GstTandemFrame& slot(const Item& item) const {
    return frame(item).slots[static_cast<std::size_t>(index_)];
  }
  const FusedStages& pass(const Item& item) const {
    return *all_.passes_[frame(item).keep_tensors].at({index_, slot(item).leads});
  }
  void download(Item& item) const {
    pass(item).each_output(frame(item), [&](const SlotTensor& output) {
      output.buffer->enqueue_download(frame(item).queue());
    });
  }

  const Fusion& all_;
  const int index_;
  StageAdapter& own_;
};

Fusion::Fusion(const std::vector<GstTandemStage*>& stages, std::span<StageAdapter* const> adapters)
    : adapters_(adapters), leaders_(stages.size()) {
  if (is_off()) return;
  std::vector<const StageFileAccess*> accesses;
  std::vector<std::shared_ptr<const StageFile>> files;
  for (GstTandemStage* stage : stages) {
    accesses.push_back(stage_file_access(stage));
    files.push_back(accesses.back() ? accesses.back()->file(stage) : nullptr);
  }
  for (std::size_t first = 0; first < files.size(); ++first) {
    std::vector<const StageFile*> some;
    for (std::size_t k = first; k < files.size() && files[k] && some.size() < Fused::kMost; ++k) {
      some.push_back(files[k].get());
      for (std::size_t keeps : {0, 1}) {
        auto fused = fuse_stage_files(some, {keeps != 0, [&](const std::string& tensor) {
                                               return is_read_behind(adapters_, k, tensor);
                                             }});
        if (fused)
          passes_[keeps][{first, some.size()}] = std::make_unique<FusedStages>(
              std::move(*fused), first, std::span(accesses).subspan(first, some.size()));
      }
    }
    if (passes_[0].contains({first, 2}))
      leaders_[first] = std::make_unique<Leader>(*this, static_cast<int>(first));
  }
}

Fusion::~Fusion() = default;

Stage* Fusion::scheduled(int k) const {
  const auto at = static_cast<std::size_t>(k);
  if (leaders_[at]) return leaders_[at].get();
  return adapters_[at];
}

void Fusion::begin(bool keeps_tensors) {
  const auto keeps = [](const StageAdapter* stage) { return stage->keeps_tensors(); };
  const std::lock_guard lock(mutex_);
  begun_[keeps_tensors || std::ranges::any_of(adapters_, keeps)] = true;
  compile();
}

void Fusion::use_device(std::shared_ptr<opencl::Context> context) {
  const std::lock_guard lock(mutex_);
  context_ = std::move(context);
  one_kind_ = context_ && context_->further().empty();
  compile();
}

// Compilers work side by side.
void Fusion::compile() {
  std::vector<std::future<void>> compiling;
  for (std::size_t keeps : {0, 1}) {
    if (!begun_[keeps]) continue;
    for (auto& [range, pass] : passes_[keeps])
      compiling.push_back(
          std::async(std::launch::async, [&pass, this] { pass->compile(context_); }));
  }
  for (std::future<void>& one : compiling) one.get();
  for (std::size_t keeps : {0, 1}) {
    on_cores_[keeps] = pairs(passes_[keeps], &FusedStages::on_cores);
    on_device_[keeps] = pairs(passes_[keeps], &FusedStages::on_device);
  }
}

// All parts of what is fused must be there: a mapping may cut it anywhere.
uint32_t Fusion::pairs(const Passes& passes, bool (FusedStages::*is_ready)() const) const {
  const auto ready = [&](int first, int count) {
    const auto found = passes.find({first, count});
    return found != passes.end() && (*found->second.*is_ready)();
  };
  uint32_t pairs = 0;
  const int stages = static_cast<int>(adapters_.size());
  for (int k = 0; k + 1 < stages; ++k) {
    bool fits = true;
    for (int count = 2; fits && count <= Fused::kMost; ++count) {
      const int first = k + 2 - count;
      if (first < 0 || (count > 2 && (pairs >> first & 1) == 0)) break;
      fits = ready(first, count);
    }
    if (fits) pairs |= 1u << k;
  }
  return pairs;
}

// A pass is compiled for one kind of device; where there are several, stages are computed apart.
Fused Fusion::fused(bool keeps_tensors) const {
  return {on_cores_[keeps_tensors], one_kind_ ? on_device_[keeps_tensors].load() : 0};
}

}  // namespace tandem::bin
