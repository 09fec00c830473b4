// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/error.h>
#include <gst/tandem/private/classwork.h>
#include <gst/tandem/private/ref.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "kernels/opencl/handles.h"
#include "kernels/util/program_cache.h"

namespace tandem {
namespace {

using Inside = _GstTandemFrame::Inside;

using Children = std::vector<ObjectRef<GObject>>;

// Objects whose properties are settings too. Pads are none of them.
Children children_of(GstTandemStage* stage) {
  Children children;
  if (!GST_IS_CHILD_PROXY(stage)) return children;
  GstChildProxy* const proxy = GST_CHILD_PROXY(stage);
  const guint count = gst_child_proxy_get_children_count(proxy);
  for (guint i = 0; i < count; ++i) {
    ObjectRef<GObject> child(gst_child_proxy_get_child_by_index(proxy, i));
    if (child && !GST_IS_PAD(child.get())) children.push_back(std::move(child));
  }
  return children;
}

// The readable properties of the classes below `base`.
void add_properties(GObject* object, GType base, GstStructure* values) {
  guint count = 0;
  GParamSpec** all = g_object_class_list_properties(G_OBJECT_GET_CLASS(object), &count);
  for (guint i = 0; i < count; ++i) {
    const GParamSpec* spec = all[i];
    const bool own = spec->owner_type != base && g_type_is_a(spec->owner_type, base);
    if (!own || (spec->flags & G_PARAM_READABLE) == 0) continue;
    GValue value = G_VALUE_INIT;
    g_value_init(&value, spec->value_type);
    g_object_get_property(object, spec->name, &value);
    gst_structure_take_value(values, spec->name, &value);
  }
  g_free(all);
}

GstStructure* read_values(GstTandemStage* stage, const Children& children) {
  GstStructure* values = gst_structure_new_empty("settings");
  add_properties(G_OBJECT(stage), GST_TYPE_TANDEM_STAGE, values);
  for (const auto& child : children) add_properties(child.get(), GST_TYPE_OBJECT, values);
  if (const auto add = GST_TANDEM_STAGE_GET_CLASS(stage)->add_settings) add(stage, values);
  return values;
}

bool keeps_work(GstTandemStage* stage, const Children& children, const char* name) {
  const GParamSpec* spec = g_object_class_find_property(G_OBJECT_GET_CLASS(stage), name);
  for (const auto& child : children)
    if (!spec) spec = g_object_class_find_property(G_OBJECT_GET_CLASS(child.get()), name);
  return spec && (spec->flags & GST_TANDEM_PARAM_KEEPS_WORK) != 0;
}

// All properties that differ differ in the text.
std::string text_of(const GstStructure* values, const char* name) {
  const GValue* value = gst_structure_get_value(values, name);
  gchar* text = gst_value_serialize(value);
  if (!text) text = g_strdup_value_contents(value);
  const std::string made = std::string(" ") + name + "=" + text;
  g_free(text);
  return made;
}

// As a launch line has it.
const char* name_of(GstTandemStage* stage) {
  GstElementFactory* factory = gst_element_get_factory(GST_ELEMENT_CAST(stage));
  return factory ? GST_OBJECT_NAME(factory) : G_OBJECT_TYPE_NAME(stage);
}

_GstTandemDescription describe(GstTandemStage* stage, const GstStructure* values) {
  const GstTandemStageClass* klass = GST_TANDEM_STAGE_GET_CLASS(stage);
  _GstTandemDescription description;
  description.stage.has_cpu = klass->compute != nullptr;
  description.stage.has_opencl = klass->enqueue || klass->enqueue_rows;
  if (klass->enqueue_rows) description.stage.whole.clear();
  if (klass->describe) klass->describe(stage, values, &description);
  return description;
}

// Why make_work did not succeed.
[[noreturn]] void throw_of(GstTandemStage* stage, GError* error) {
  const bool device = error && error->domain == GST_TANDEM_DEVICE_ERROR;
  const std::string why =
      error ? error->message : std::string(name_of(stage)) + " cannot work and gives no reason";
  g_clear_error(&error);
  if (device) throw opencl::Error(why);
  throw std::runtime_error(why);
}

}  // namespace

StageSettings::~StageSettings() {
  if (values) gst_structure_free(values);
}

StageDescription describe_now(GstTandemStage* stage) {
  GstStructure* values = read_values(stage, children_of(stage));
  StageDescription description = describe(stage, values).stage;
  gst_structure_free(values);
  return description;
}

std::shared_ptr<const StageSettings> read_settings(GstTandemStage* stage) {
  auto read = std::make_shared<StageSettings>();
  const Children children = children_of(stage);
  read->values = read_values(stage, children);
  read->all = read->work = name_of(stage);
  for (int i = 0; i < gst_structure_n_fields(read->values); ++i) {
    const char* name = gst_structure_nth_field_name(read->values, static_cast<guint>(i));
    const std::string text = text_of(read->values, name);
    read->all += text;
    if (!keeps_work(stage, children, name)) read->work += text;
  }
  if (const auto rounds = GST_TANDEM_STAGE_GET_CLASS(stage)->get_rounds)
    read->rounds = std::max(1, rounds(stage, read->values));
  return read;
}

ClassWork::ClassWork(GstTandemStage* stage, const StageSettings& settings,
                     const SlotRequest& request)
    : stage_(stage), values_(gst_structure_copy(settings.values)), inputs_(request.inputs.size()) {
  _GstTandemWork work(*this, request);
  GError* error = nullptr;
  if (klass()->make_work && !klass()->make_work(stage, values_.get(), &work, &error)) {
    work.rethrow();
    throw_of(stage, error);
  }
  work.rethrow();
  const _GstTandemDescription description = describe(stage, values_.get());
  takes_deferred_ = description.takes_deferred;
  if (description.kernel_source.empty()) return;
  if (description.reads_luma) {
    pixels_ = static_cast<int>(outputs_.size());
    if (pixels_ == kMaxTensors)
      throw std::runtime_error(std::string(name_of(stage)) + " makes more than 7 tensors");
    add_output(TensorSpec::of_pixels("pixels", GST_VIDEO_INFO_WIDTH(&request.video),
                                     GST_VIDEO_INFO_HEIGHT(&request.video),
                                     request.context != nullptr));
  }
  if (!request.context) return;
  kernel_ = std::make_unique<opencl::SourceKernel>(*request.context, description.kernel_source,
                                                   description.kernel_name);
}

ClassWork::~ClassWork() = default;

std::string ClassWork::take_notice() const {
  return notice_.empty() ? ProgramCache::take_notice() : notice_;
}

bool ClassWork::fits(SlotFrame& frame) const {
  if (!klass()->fits) return true;
  _GstTandemFrame here(*this, frame, Inside::fits);
  const bool fits = klass()->fits(stage_, &here);
  here.rethrow();
  return fits;
}

void ClassWork::prepare(SlotFrame& frame) const {
  if (!klass()->prepare) return;
  _GstTandemFrame here(*this, frame, Inside::prepare);
  klass()->prepare(stage_, &here);
  here.rethrow();
}

void ClassWork::compute(SlotFrame& frame, Rows rows) const {
  _GstTandemFrame here(*this, frame, Inside::compute);
  klass()->compute(stage_, &here, rows.begin, rows.end);
}

void ClassWork::combine(SlotFrame& frame) const {
  if (!klass()->combine) return;
  _GstTandemFrame here(*this, frame, Inside::compute);
  klass()->combine(stage_, &here);
  here.rethrow();
}

void ClassWork::collect(SlotFrame& frame) const {
  if (!klass()->collect) return;
  _GstTandemFrame here(*this, frame, Inside::results);
  klass()->collect(stage_, &here);
  here.rethrow();
}

void ClassWork::publish(SlotFrame& frame, GstBuffer* buffer) const {
  if (!klass()->publish) return;
  _GstTandemFrame here(*this, frame, Inside::results);
  klass()->publish(stage_, &here, buffer);
  here.rethrow();
}

template <typename Call>
void ClassWork::enqueue_by(SlotFrame& frame, opencl::Queue& queue, Call&& call) const {
  _GstTandemFrame here(*this, frame, Inside::enqueue);
  here.queue = &queue;
  gpointer const commands = takes_deferred_ ? nullptr : opencl::command_queue(queue);
  GError* error = nullptr;
  if (call(&here, commands, &error) && !here.problem) return;
  const std::string why = error ? error->message : "the stage gives no reason";
  g_clear_error(&error);
  // Commands enqueued before use memory of the frame, which others get after this.
  here.attempt([&] {
    queue.finish();
    return true;
  });
  here.rethrow();
  throw opencl::Error(why);
}

void ClassWork::enqueue(SlotFrame& frame, opencl::Queue& queue) const {
  if (kernel_) return enqueue_kernel(frame, queue);
  enqueue_by(frame, queue, [&](GstTandemFrame* here, gpointer commands, GError** error) {
    here->whole = true;
    return klass()->enqueue ? klass()->enqueue(stage_, here, commands, error)
                            : klass()->enqueue_rows(stage_, here, rows_, commands, error);
  });
}

void ClassWork::enqueue_first(SlotFrame& frame, opencl::Queue& queue, int end) const {
  enqueue_by(frame, queue, [&](GstTandemFrame* here, gpointer commands, GError** error) {
    return klass()->enqueue_rows(stage_, here, end, commands, error);
  });
}

void ClassWork::enqueue_band(SlotFrame& frame, opencl::Queue& queue, Rows rows) const {
  if (rows.begin == 0) frame.uploaded.fill(0);
  enqueue_by(frame, queue, [&](GstTandemFrame* here, gpointer commands, GError** error) {
    here->band = rows;
    return klass()->enqueue_rows(stage_, here, rows.end, commands, error);
  });
}

void ClassWork::download_band(SlotFrame& frame, opencl::Queue& queue, int output, Rows rows) const {
  opencl::Buffer& buffer = *frame.outputs[static_cast<std::size_t>(output)].buffer;
  const bool last = rows.end == rows_;
  const int parts = planes(output);
  if (parts > 0) {
    buffer.enqueue_download_part(
        queue, {parts, row_begin(output, rows.begin), row_begin(output, rows.end)}, last);
  } else if (last) {
    buffer.enqueue_download(queue);
  }
}

Rows ClassWork::needs(int input, Rows rows) const {
  if (klass()->needs)
    klass()->needs(stage_, data(), static_cast<guint>(input), &rows.begin, &rows.end);
  return rows;
}

std::size_t ClassWork::row_begin(int output, int row) const {
  if (klass()->get_row_begin)
    return klass()->get_row_begin(stage_, data(), static_cast<guint>(output), row);
  const std::size_t all = outputs_[static_cast<std::size_t>(output)].bytes();
  return all / static_cast<std::size_t>(planes(output)) / static_cast<std::size_t>(rows_) *
         static_cast<std::size_t>(row);
}

void ClassWork::join(SlotFrame& frame, const SplitRows& rows) const {
  if (!klass()->join) return;
  _GstTandemFrame here(*this, frame, Inside::join);
  klass()->join(stage_, &here, rows.device_end, rows.cores_begin);
  here.rethrow();
}

void ClassWork::enqueue_kernel(SlotFrame& frame, opencl::Queue& queue) const {
  using Access = opencl::Buffer::Access;
  std::array<opencl::SourceKernel::Argument, 2 * kMaxTensors + 3 + kMostArguments> arguments;
  std::size_t count = 0;
  if (pixels_ >= 0) {
    const auto width = GST_VIDEO_FRAME_WIDTH(frame.video);
    const auto height = GST_VIDEO_FRAME_HEIGHT(frame.video);
    opencl::Buffer& packed = *frame.outputs[static_cast<std::size_t>(pixels_)].buffer;
    packed.enqueue_upload_rows(
        queue, GST_VIDEO_FRAME_PLANE_DATA(frame.video, 0), static_cast<std::size_t>(width), height,
        static_cast<std::size_t>(GST_VIDEO_FRAME_PLANE_STRIDE(frame.video, 0)));
    arguments[count++] = packed.device(queue, Access::read);
    arguments[count++] = width;
    arguments[count++] = height;
  }
  for (std::size_t i = 0; i < inputs_; ++i)
    arguments[count++] = frame.inputs[i].buffer->device(queue, Access::read);
  for (std::size_t i = 0; i < outputs_.size(); ++i)
    if (static_cast<int>(i) != pixels_)
      arguments[count++] = frame.outputs[i].buffer->device(queue, Access::write);
  for (const auto& value : arguments_) arguments[count++] = value;
  kernel_->enqueue(queue, items_, {arguments.data(), count});
}

}  // namespace tandem
