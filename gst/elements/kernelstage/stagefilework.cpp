// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/kernelstage/stagefilework.h"

#include <algorithm>
#include <array>
#include <climits>
#include <new>
#include <stdexcept>
#include <type_traits>

#include "gst/elements/kernelstage/tensormaker.h"
#include "gst/meta/region.h"

namespace tandem {
namespace {

using Role = StageTensor::Role;
using Views = std::array<StageView, kMostStageTensors>;

static_assert(std::is_trivially_destructible_v<HostProgress>);  // never destroyed

GstTandemElementType gst_type(ElementType type) {
  switch (type) {
    case ElementType::kUint8:
      return GST_TANDEM_ELEMENT_TYPE_UINT8;
    case ElementType::kInt32:
      return GST_TANDEM_ELEMENT_TYPE_INT32;
    default:
      return GST_TANDEM_ELEMENT_TYPE_FLOAT32;
  }
}

// Elements keep their address while their memory has references.
void* host_values(GstMemory* memory) {
  GstMapInfo map;
  if (!gst_memory_map(memory, &map, GST_MAP_READ))
    throw opencl::Error("a tensor of an earlier frame cannot be read");
  gst_memory_unmap(memory, &map);
  return map.data;
}

Plane<uint8_t> plane_of(const StageFrame& frame, int component) {
  return {static_cast<uint8_t*>(GST_VIDEO_FRAME_COMP_DATA(frame.video, component)),
          GST_VIDEO_FRAME_COMP_WIDTH(frame.video, component),
          GST_VIDEO_FRAME_COMP_HEIGHT(frame.video, component),
          GST_VIDEO_FRAME_COMP_STRIDE(frame.video, component)};
}

std::string shape_text(const TensorSpec& spec) {
  std::string text;
  for (guint d = 0; d < spec.dimensions; ++d)
    text += (d == 0 ? "" : "x") + std::to_string(spec.shape[d]);
  const char* const name = spec.type == GST_TANDEM_ELEMENT_TYPE_UINT8     ? "uint8"
                           : spec.type == GST_TANDEM_ELEMENT_TYPE_INT32   ? "int32"
                           : spec.type == GST_TANDEM_ELEMENT_TYPE_FLOAT16 ? "float16"
                                                                          : "float32";
  return name + (" of " + text);
}

}  // namespace

StageFileWork::StageFileWork(std::shared_ptr<const StageProgram> program,
                             std::vector<StageValue> parameters, std::shared_ptr<KeptTensors> kept,
                             const WorkRequest& request)
    : program_(std::move(program)),
      parameters_(std::move(parameters)),
      kept_(std::move(kept)),
      width_(GST_VIDEO_INFO_WIDTH(&request.video)),
      height_(GST_VIDEO_INFO_HEIGHT(&request.video)),
      splits_(why_whole(*program_->file, program_->plan).empty()) {
  for (const StageTensor& tensor : program_->plan.tensors) place(tensor, request);
  Views views{};
  for (std::size_t i = 0; i < places_.size(); ++i) views[i] = view(i, nullptr);
  if (program_->host) rows_ = program_->host->rows(call(views.data()));
  if (splits_) rows_ = program_->plan.steps.front().grid.rows(height_);  // of a device alone, too
  // Threads share a frame's steps and passes by it. Without room for one, one thread computes all.
  if (program_->host && !program_->plan.has_bands() && outputs_.size() < kMaxTensors) {
    progress_ = static_cast<int>(outputs_.size());
    outputs_.push_back(
        {"progress", GST_TANDEM_ELEMENT_TYPE_UINT8, 1, {sizeof(HostProgress)}, true});
  }
  if (!program_->host && program_->file->only != StageSide::kDevice)
    notice_ = "There is no C compiler, so only the OpenCL device computes " + program_->file->name +
              ". Install gcc or clang, or set TANDEM_CC to a compiler.";
}

void StageFileWork::place(const StageTensor& tensor, const WorkRequest& request) {
  Place& place = places_.emplace_back();
  const auto output = [&](TensorSpec spec) {
    outputs_.push_back(std::move(spec));
    return static_cast<int>(outputs_.size()) - 1;
  };
  switch (tensor.role) {
    case Role::kPixels:
      place_pixels(tensor, request, place);
      place.output = output(TensorSpec::of_pixels(
          tensor.name.c_str(), tensor.shape.columns(width_), tensor.shape.rows(height_),
          program_->device != nullptr || place.interleaved));
      return;
    case Role::kInput:
      place_input(tensor, request, place);
      return;
    case Role::kBefore:
      place.kept = static_cast<int>(
          std::ranges::count_if(places_, [](const Place& p) { return p.kept >= 0; }));
      return;
    default:
      break;
  }
  TensorSpec spec{tensor.role == Role::kOutput ? tensor.tensor.c_str() : tensor.name.c_str(),
                  gst_type(tensor.type),
                  1,
                  {},
                  tensor.role != Role::kOutput};
  const StageShape& shape = tensor.shape;
  if (shape.is_plane()) {
    spec.dimensions = 2;
    spec.shape = {static_cast<gsize>(shape.rows(height_)),
                  static_cast<gsize>(shape.columns(width_))};
  } else if (tensor.role == Role::kOutput) {
    spec.dimensions = static_cast<guint>(shape.constants.size());
    std::ranges::copy(shape.constants, spec.shape.begin());
  } else {
    spec.shape[0] =
        static_cast<gsize>(shape.rows(height_)) * static_cast<gsize>(shape.columns(width_));
  }
  place.output = output(spec);
  if (tensor.role == Role::kLumaOut) luma_out_ = place.output;
}

void StageFileWork::place_pixels(const StageTensor& tensor, const WorkRequest& request,
                                 Place& place) const {
  const GstVideoInfo& video = request.video;
  place.component = tensor.name == StageRead::kCb ? 1 : tensor.name == StageRead::kCr ? 2 : 0;
  const auto component = static_cast<guint>(place.component);
  const int rows = tensor.shape.rows(height_), columns = tensor.shape.columns(width_);
  if (component >= GST_VIDEO_INFO_N_COMPONENTS(&video) ||
      GST_VIDEO_INFO_COMP_WIDTH(&video, component) != columns ||
      GST_VIDEO_INFO_COMP_HEIGHT(&video, component) != rows)
    throw std::runtime_error(program_->file->path + " reads " + tensor.name + " of " +
                             std::to_string(columns) + "x" + std::to_string(rows) + ", but " +
                             GST_VIDEO_INFO_NAME(&video) + " has no such plane of that size");
  place.interleaved = GST_VIDEO_INFO_COMP_PSTRIDE(&video, component) != 1;
}

// Planes that lie in each other are taken apart on the host. The progress is of plain numbers, and
// goes with the memory that it is in.
void StageFileWork::prepare(StageFrame& frame) const {
  if (progress_ >= 0) new (frame.output<void>(progress_)) HostProgress;
  for (const Place& place : places_) {
    if (!place.interleaved) continue;
    const auto component = place.component;
    const auto* const from =
        static_cast<const uint8_t*>(GST_VIDEO_FRAME_COMP_DATA(frame.video, component));
    const int columns = GST_VIDEO_FRAME_COMP_WIDTH(frame.video, component);
    const int step = GST_VIDEO_FRAME_COMP_PSTRIDE(frame.video, component);
    auto* to = frame.output<uint8_t>(place.output);
    for (int y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT(frame.video, component); ++y) {
      const uint8_t* row = from + static_cast<std::ptrdiff_t>(y) *
                                      GST_VIDEO_FRAME_COMP_STRIDE(frame.video, component);
      for (int x = 0; x < columns; ++x, row += step) *to++ = *row;
    }
  }
}

void StageFileWork::place_input(const StageTensor& tensor, const WorkRequest& request,
                                Place& place) const {
  place.input =
      static_cast<int>(std::ranges::count_if(places_, [](const Place& p) { return p.input >= 0; }));
  const TensorSpec& spec = request.inputs[static_cast<std::size_t>(place.input)].spec;
  const int rows = tensor.shape.rows(height_), columns = tensor.shape.columns(width_);
  const gsize wanted = static_cast<gsize>(rows) * static_cast<gsize>(columns);
  // name[i] counts elements, whatever the rows of the tensor; name(dx, dy) needs those of the
  // plane.
  const bool same_rows = !tensor.shape.is_plane() || spec.dimensions < 2 ||
                         spec.shape[spec.dimensions - 1] == static_cast<gsize>(columns);
  const bool fits = spec.elements() == wanted && same_rows;
  if (spec.type != gst_type(tensor.type) || !fits) {
    const bool rows_differ =
        spec.type == gst_type(tensor.type) && spec.shape[1] == static_cast<gsize>(columns);
    const std::string setting = rows_differ ? rows_setting(tensor.tensor, rows) : "";
    throw std::runtime_error("the tensor '" + tensor.tensor + "' on the frame is not " +
                             name_of(tensor.type) + " of " + std::to_string(rows) + "x" +
                             std::to_string(columns) + ", as " + program_->file->path +
                             " declares: it is " + shape_text(spec) + setting);
  }
}

StageView StageFileWork::view(std::size_t i, void* data) const {
  const StageShape& shape = program_->plan.tensors[i].shape;
  const int columns = shape.columns(width_);
  return {data, columns, columns, shape.rows(height_)};
}

StageCall StageFileWork::call(const StageView* views) const {
  return {.width = width_,
          .height = height_,
          .frame = kept_->frames,
          .parameters = parameters_.data(),
          .tensors = views};
}

const StageCall& StageFileWork::host_call(const StageFrame& frame, Views& views,
                                          StageCall& call) const {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    if (place.component >= 0 && !place.interleaved) {
      const Plane<uint8_t> pixels = plane_of(frame, place.component);
      views[i] = {pixels.data, pixels.stride, pixels.width, pixels.height};
    } else if (place.kept >= 0) {
      // Before the first frame nothing is read.
      const bool there = kept_->frames > 0;
      views[i] =
          view(i, there ? host_values(kept_->before[static_cast<std::size_t>(place.kept)].get())
                        : nullptr);
    } else {
      views[i] = view(i, place.input >= 0 ? const_cast<void*>(frame.input<void>(place.input))
                                          : frame.output<void>(place.output));
    }
  }
  call = this->call(views.data());
  return call;
}

void StageFileWork::compute(StageFrame& frame, Rows rows) const {
  Views views;
  StageCall call;
  host_call(frame, views, call);
  if (progress_ < 0) return program_->host->compute(call, rows);
  program_->host->share(call, *frame.output<HostProgress>(progress_), frame.stop());
}

void StageFileWork::combine(StageFrame& frame) const {
  Views views;
  StageCall call;
  host_call(frame, views, call);
  program_->host->combine(call);
  if (const std::string problem = unsettled_loop(*program_->file, program_->plan, call);
      !problem.empty())
    throw std::runtime_error(problem);
  copy_luma(frame);
}

void StageFileWork::copy_luma(StageFrame& frame) const {
  if (luma_out_ < 0) return;
  const auto* from = frame.result<uint8_t>(luma_out_);
  const Plane<uint8_t> luma = frame.luma();
  for (int y = 0; y < height_; ++y)
    std::copy_n(from + static_cast<std::ptrdiff_t>(y) * width_, width_, luma.row(y));
}

bool StageFileWork::is_boxes(const StageTensor& tensor) const {
  return tensor.of < 0 && std::ranges::any_of(program_->file->regions, [&](const StageRegions& r) {
           return r.tensor == tensor.name;
         });
}

Rows StageFileWork::rows_of(const StageAccess& read, Rows rows) const {
  const int height =
      program_->plan.tensors[static_cast<std::size_t>(read.tensor)].shape.rows(height_);
  const auto over = [&](int row) { return row * read.times / read.over; };
  return {std::clamp(over(rows.begin) - read.halo, 0, height),
          std::clamp(over(rows.end - 1) + read.halo + 1, 0, height)};
}

// The parts of a pass may read one tensor with several halos.
Rows StageFileWork::needs(int input, Rows rows) const {
  Rows all{INT_MAX, 0};
  for (const StagePlanPart& part : program_->plan.steps.front().parts) {
    for (const StageAccess& read : part.reads) {
      if (read.kind == StageAccess::Kind::kLocal ||
          places_[static_cast<std::size_t>(read.tensor)].input != input)
        continue;
      const Rows some = rows_of(read, rows);
      all = {std::min(all.begin, some.begin), std::max(all.end, some.end)};
    }
  }
  return rows.count() > 0 ? all : Rows{0, 0};
}

int StageFileWork::pixel_rows(std::size_t tensor, Rows rows) const {
  if (!splits_) return height_;
  int end = 0;
  for (const StagePlanPart& part : program_->plan.steps.front().parts)
    for (const StageAccess& read : part.reads)
      if (read.tensor == static_cast<int>(tensor)) end = std::max(end, rows_of(read, rows).end);
  return end;
}

int StageFileWork::planes(int output) const {
  const bool is_pixels = std::ranges::any_of(
      places_, [&](const Place& p) { return p.output == output && p.component >= 0; });
  return splits_ && !is_pixels ? 1 : 0;
}

void StageFileWork::join(StageFrame& frame, const SplitRows&) const { copy_luma(frame); }

void StageFileWork::enqueue_rows(StageFrame& frame, opencl::Queue& queue, Rows rows) const {
  Views views;
  const auto& tensors = program_->plan.tensors;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    if (place.component >= 0) {
      views[i] = view(
          i, place.interleaved
                 ? frame.device_memory(frame.memory(place.output))
                 : frame.upload(plane_of(frame, place.component), place.output, pixel_rows(i, rows))
                       .mem);
    } else if (place.input >= 0) {
      views[i] = view(i, frame.device_input(place.input));
    } else if (place.output >= 0) {
      views[i] = view(i, frame.device_output(place.output));
    }
  }
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].kept < 0) continue;
    // Before the first frame nothing is read: any memory will do.
    const auto of = static_cast<std::size_t>(tensors[i].of);
    views[i] = kept_->frames == 0
                   ? views[of]
                   : view(i, frame.device_memory(
                                 kept_->before[static_cast<std::size_t>(places_[i].kept)].get()));
  }
  if (splits_) {
    program_->device->enqueue_rows(queue, call(views.data()), rows);
  } else {
    program_->device->enqueue(queue, call(views.data()));
  }
  for (std::size_t i = 0; i < places_.size(); ++i) {
    // To the host: the flags of loops, and data that the next frame needs even if the device
    // fails.
    const bool kept = std::ranges::any_of(tensors, [&](const StageTensor& t) {
      return t.role == Role::kBefore && t.of == static_cast<int>(i);
    });
    if (kept || tensors[i].role == Role::kFlags || is_boxes(tensors[i]))
      frame.download(places_[i].output);
    else if (tensors[i].role == Role::kLumaOut)
      frame.download_luma(places_[i].output);
  }
}

void StageFileWork::collect(StageFrame& frame) const {
  Views views{};
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (program_->plan.tensors[i].role == Role::kFlags)
      views[i].data = const_cast<void*>(frame.result<void>(places_[i].output));
  }
  const std::string problem = unsettled_loop(*program_->file, program_->plan, call(views.data()));
  if (!problem.empty()) throw std::runtime_error(problem);
  if (luma_out_ >= 0) frame.take_luma(luma_out_);
}

void StageFileWork::publish(StageFrame& frame, GstBuffer* buffer) const {
  const auto& tensors = program_->plan.tensors;
  if (program_->file->keeps()) {
    kept_->before.resize(places_.size());
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (places_[i].kept < 0) continue;
      const int output = places_[static_cast<std::size_t>(tensors[i].of)].output;
      kept_->before[static_cast<std::size_t>(places_[i].kept)] =
          MemoryRef(gst_memory_ref(frame.memory(output)));
    }
    ++kept_->frames;
  }
  for (const StageRegions& regions : program_->file->regions) attach(regions, frame, buffer);
}

// A row of the tensor is a box; one without a width, or outside of the frame, is none.
void StageFileWork::attach(const StageRegions& regions, StageFrame& frame,
                           GstBuffer* buffer) const {
  const auto& tensors = program_->plan.tensors;
  const auto found = std::ranges::find_if(tensors, [&](const StageTensor& tensor) {
    return tensor.name == regions.tensor && tensor.of < 0;
  });
  const StageShape& shape = found->shape;
  const Place& place = places_[static_cast<std::size_t>(found - tensors.begin())];
  const void* const data = frame.result<void>(place.output);
  mark_detected(buffer);
  const int columns = shape.columns(width_);
  for (int row = 0; row < shape.rows(height_); ++row) {
    const auto value = [&](int column) -> double {
      const int at = row * columns + column;
      return found->type == ElementType::kInt32 ? static_cast<const int*>(data)[at]
                                                : static_cast<const float*>(data)[at];
    };
    attach_region(buffer,
                  {.label = g_quark_from_string(regions.label.c_str()),
                   .confidence = columns > 4 ? std::clamp(value(4), 0.0, 1.0) : 1,
                   .x = value(0),
                   .y = value(1),
                   .width = value(2),
                   .height = value(3)},
                  {width_, height_});
  }
}

}  // namespace tandem
