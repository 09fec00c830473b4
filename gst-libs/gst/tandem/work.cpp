// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/error.h>
#include <gst/tandem/private/description.h>
#include <gst/tandem/private/frame.h>
#include <gst/tandem/private/work.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "kernels/opencl/handles.h"
#include "kernels/program_cache/program_cache.h"

namespace {

// Why make_work did not succeed.
[[noreturn]] void throw_of(GstTandemStage* stage, GError* error) {
  const bool device = error && error->domain == GST_TANDEM_DEVICE_ERROR;
  const std::string why =
      error ? error->message
            : std::string(tandem::element_name(stage)) + " failed and reported no reason";
  g_clear_error(&error);
  if (device) throw tandem::opencl::Error(why);
  throw std::runtime_error(why);
}

void add_output_to(GstTandemWork& work, const tandem::TensorSpec& spec) {
  work.outputs.push_back(spec);
  work.planes.push_back(spec.scratch ? 0 : 1);
}

// The rows of two frames may lie differently in memory.
bool same_frames(const GstVideoInfo& a, const GstVideoInfo& b) {
  return GST_VIDEO_INFO_FORMAT(&a) == GST_VIDEO_INFO_FORMAT(&b) &&
         GST_VIDEO_INFO_WIDTH(&a) == GST_VIDEO_INFO_WIDTH(&b) &&
         GST_VIDEO_INFO_HEIGHT(&a) == GST_VIDEO_INFO_HEIGHT(&b);
}

}  // namespace

tandem::FirstFrame::FirstFrame(const GstTandemFrame& frame, std::size_t count)
    : video(frame.video->info),
      inputs(frame.inputs.begin(), frame.inputs.begin() + static_cast<std::ptrdiff_t>(count)) {
  for (const SlotTensor& input : inputs) memories.emplace_back(gst_memory_ref(input.memory));
}

_GstTandemWork::_GstTandemWork(GstTandemStage* element,
                               std::shared_ptr<const tandem::StageSettings> properties,
                               const tandem::FirstFrame& frame,
                               std::shared_ptr<tandem::opencl::Context> devices)
    : stage(element),
      settings(std::move(properties)),
      video(frame.video),
      context(std::move(devices)) {
  for (const tandem::SlotTensor& input : frame.inputs) inputs.push_back(input.spec);
  first = &frame;
  const GstStructure* const values = settings->values.get();
  GError* error = nullptr;
  const bool made = !klass()->make_work || klass()->make_work(stage, values, this, &error);
  first = nullptr;
  if (problem.first) g_clear_error(&error);
  problem.rethrow();
  if (!made) throw_of(stage, error);
  const _GstTandemDescription description = tandem::describe_stage(stage, values);
  takes_deferred = description.takes_deferred;
  if (description.kernel_source.empty()) return;
  if (description.reads_luma) {
    if (outputs.size() == tandem::kMaxTensors) {
      throw std::runtime_error(std::string(tandem::element_name(stage)) +
                               " has more than 7 outputs");
    }
    kernel.take_luma(static_cast<int>(outputs.size()));
    add_output_to(*this,
                  tandem::TensorSpec::of_pixels("pixels", GST_VIDEO_INFO_WIDTH(&video),
                                                GST_VIDEO_INFO_HEIGHT(&video), context != nullptr));
  }
  if (context) kernel.build(*context, description);
}

void _GstTandemWork::make_pools(const tandem::FirstFrame& frame) {
  const auto pool = [&](std::size_t bytes) {
    return std::make_shared<tandem::TensorPool>(context, bytes);
  };
  if (context)
    for (const tandem::SlotTensor& input : frame.inputs)
      input_pools.push_back(pool(input.buffer->size()));
  for (const tandem::TensorSpec& output : outputs) pools.push_back(pool(output.bytes()));
}

bool _GstTandemWork::is_for(const GstTandemFrame& frame, std::size_t inputs_of_stage) const {
  return same_frames(video, frame.video->info) && inputs.size() == inputs_of_stage &&
         std::ranges::equal(inputs, std::span(frame.inputs).first(inputs_of_stage), {}, {},
                            &tandem::SlotTensor::spec);
}

std::string _GstTandemWork::take_notice() const {
  return notice.empty() ? tandem::ProgramCache::take_notice() : notice;
}

tandem::Rows _GstTandemWork::needs(int input, tandem::Rows of_stage) const {
  if (klass()->needs)
    klass()->needs(stage, data.get(), static_cast<guint>(input), &of_stage.begin, &of_stage.end);
  return of_stage;
}

std::size_t _GstTandemWork::row_begin(int output, int row) const {
  if (klass()->get_row_begin)
    return klass()->get_row_begin(stage, data.get(), static_cast<guint>(output), row);
  const auto at = static_cast<std::size_t>(output);
  return outputs[at].bytes() / static_cast<std::size_t>(planes[at]) /
         static_cast<std::size_t>(rows) * static_cast<std::size_t>(row);
}

const GstVideoInfo* gst_tandem_work_get_video_info(const GstTandemWork* work) {
  return &work->video;
}

GstTandemElementType gst_tandem_work_get_input_type(const GstTandemWork* work, guint input) {
  g_return_val_if_fail(input < work->inputs.size(), GST_TANDEM_ELEMENT_TYPE_UINT8);
  return work->inputs[input].type;
}

const gsize* gst_tandem_work_get_input_shape(const GstTandemWork* work, guint input,
                                             guint* dimensions) {
  *dimensions = 0;
  g_return_val_if_fail(input < work->inputs.size(), nullptr);
  const tandem::TensorSpec& spec = work->inputs[input];
  *dimensions = spec.dimensions;
  return spec.shape.data();
}

void gst_tandem_work_add_output(GstTandemWork* work, const gchar* name,
                                GstTandemElementType element_type, guint dimensions,
                                const gsize* shape) {
  g_return_if_fail(dimensions >= 1 && dimensions <= GST_TANDEM_TENSOR_MAX_DIMENSIONS);
  g_return_if_fail(work->outputs.size() < tandem::kMaxTensors);
  tandem::TensorSpec spec{name, element_type, dimensions};
  std::copy_n(shape, dimensions, spec.shape.begin());
  add_output_to(*work, spec);
}

void gst_tandem_work_add_scratch(GstTandemWork* work, gsize bytes) {
  g_return_if_fail(work->outputs.size() < tandem::kMaxTensors);
  add_output_to(*work, tandem::TensorSpec::scratch_of<guint8>("scratch", bytes));
}

gconstpointer gst_tandem_work_get_input(GstTandemWork* work, guint input) {
  g_return_val_if_fail(input < work->inputs.size(), nullptr);
  g_return_val_if_fail(work->first, nullptr);
  return work->problem.attempt([&] {
    return work->first->inputs[input].buffer->host(tandem::opencl::Buffer::Access::read);
  });
}

guint gst_tandem_work_get_devices(const GstTandemWork* work) {
  const auto& context = work->context;
  return context ? static_cast<guint>(context->devices()) : 0;
}

gpointer gst_tandem_work_get_cl_context(const GstTandemWork* work, guint device) {
  g_return_val_if_fail(device < gst_tandem_work_get_devices(work), nullptr);
  return tandem::opencl::context_handle(*work->context, static_cast<int>(device));
}

gpointer gst_tandem_work_get_cl_device(const GstTandemWork* work, guint device) {
  g_return_val_if_fail(device < gst_tandem_work_get_devices(work), nullptr);
  return tandem::opencl::device_handle(*work->context, static_cast<int>(device));
}

gpointer gst_tandem_work_build_program(GstTandemWork* work, guint device, const gchar* source,
                                       const gchar* options, GError** error) {
  g_return_val_if_fail(device < gst_tandem_work_get_devices(work), nullptr);
  try {
    return tandem::opencl::program_handle(*work->context, static_cast<int>(device), source,
                                          options ? options : "");
  } catch (const std::exception& e) {
    g_set_error_literal(error, GST_TANDEM_DEVICE_ERROR, GST_TANDEM_DEVICE_ERROR_FAILED, e.what());
    return nullptr;
  }
}

void gst_tandem_work_set_rows(GstTandemWork* work, gint rows) {
  g_return_if_fail(rows >= 1);
  work->rows = rows;
}

void gst_tandem_work_set_planes(GstTandemWork* work, guint output, guint planes) {
  g_return_if_fail(output < work->outputs.size());
  work->planes[output] = static_cast<int>(planes);
}

void gst_tandem_work_set_items(GstTandemWork* work, gsize items) {
  g_return_if_fail(items >= 1);
  work->kernel.set_items(items);
}

void gst_tandem_work_add_int(GstTandemWork* work, gint value) {
  const bool added = work->kernel.add_argument(value);
  g_return_if_fail(added);
}

void gst_tandem_work_add_float(GstTandemWork* work, gfloat value) {
  const bool added = work->kernel.add_argument(value);
  g_return_if_fail(added);
}

void gst_tandem_work_set_data(GstTandemWork* work, gpointer data, GDestroyNotify destroy) {
  work->data = {data, destroy ? destroy : [](gpointer) {}};
}

void gst_tandem_work_set_notice(GstTandemWork* work, const gchar* notice) { work->notice = notice; }
