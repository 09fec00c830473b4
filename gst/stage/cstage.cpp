// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/stage/cstage.h"

#include <stdexcept>

#include "gst/util/ref.h"

namespace tandem {
namespace {

GstStructure* read_values(GstTandemStage* stage) {
  GstStructure* values = gst_structure_new_empty("settings");
  guint count = 0;
  GParamSpec** all = g_object_class_list_properties(G_OBJECT_GET_CLASS(stage), &count);
  for (guint i = 0; i < count; ++i) {
    const GParamSpec* spec = all[i];
    const bool own = spec->owner_type != GST_TYPE_TANDEM_STAGE &&
                     g_type_is_a(spec->owner_type, GST_TYPE_TANDEM_STAGE);
    if (!own || (spec->flags & G_PARAM_READABLE) == 0) continue;
    GValue value = G_VALUE_INIT;
    g_value_init(&value, spec->value_type);
    g_object_get_property(G_OBJECT(stage), spec->name, &value);
    gst_structure_take_value(values, spec->name, &value);
  }
  g_free(all);
  return values;
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

std::shared_ptr<const StageSettings> read_settings(GstTandemStage* stage) {
  auto read = std::make_shared<CSettings>();
  read->values = read_values(stage);
  read->all = read->work = G_OBJECT_TYPE_NAME(stage);
  for (int i = 0; i < gst_structure_n_fields(read->values); ++i) {
    const char* name = gst_structure_nth_field_name(read->values, static_cast<guint>(i));
    const GParamSpec* spec = g_object_class_find_property(G_OBJECT_GET_CLASS(stage), name);
    const std::string text = text_of(read->values, name);
    read->all += text;
    if ((spec->flags & GST_TANDEM_PARAM_KEEPS_WORK) == 0) read->work += text;
  }
  if (const auto rounds = GST_TANDEM_STAGE_GET_CLASS(stage)->get_rounds)
    read->passes = std::max(1, rounds(stage, read->values));
  return read;
}

StageDescription describe_now(GstTandemStage* stage) {
  GstStructure* values = read_values(stage);
  StageDescription description = describe(stage, values).stage;
  gst_structure_free(values);
  return description;
}

std::unique_ptr<StageWork> make_work(GstTandemStage* stage, const StageSettings& settings,
                                     const WorkRequest& request) {
  return std::make_unique<CWork>(stage, static_cast<const CSettings&>(settings), request);
}

}  // namespace

const StageHooks kCStage{describe_now, read_settings, make_work};

CSettings::~CSettings() {
  if (values) gst_structure_free(values);
}

_GstTandemDescription describe(GstTandemStage* stage, const GstStructure* values) {
  const GstTandemStageClass* klass = GST_TANDEM_STAGE_GET_CLASS(stage);
  _GstTandemDescription description;
  description.stage.has_cpu = klass->compute != nullptr;
  description.stage.has_opencl = klass->enqueue != nullptr;
  if (klass->describe) klass->describe(stage, values, &description);
  return description;
}

CWork::CWork(GstTandemStage* stage, const CSettings& settings, const WorkRequest& request)
    : stage_(stage), values_(gst_structure_copy(settings.values)), inputs_(request.inputs.size()) {
  _GstTandemWork work{this, &request};
  GError* error = nullptr;
  if (klass()->make_work && !klass()->make_work(stage, values_, &work, &error)) {
    const std::string why = error ? error->message : "it gives no reason";
    g_clear_error(&error);
    if (destroy_) destroy_(data_);
    gst_structure_free(values_);
    throw std::runtime_error(std::string(GST_OBJECT_NAME(stage)) + " cannot work: " + why);
  }
  const _GstTandemDescription description = tandem::describe(stage, values_);
  if (description.kernel_source.empty()) return;
  if (description.reads_luma) {
    pixels_ = static_cast<int>(outputs_.size());
    outputs_.push_back(TensorSpec::of_pixels("pixels", GST_VIDEO_INFO_WIDTH(&request.video),
                                             GST_VIDEO_INFO_HEIGHT(&request.video),
                                             request.context != nullptr));
  }
  if (!request.context) return;
  try {
    kernel_ = std::make_unique<opencl::SourceKernel>(*request.context, description.kernel_source,
                                                     description.kernel_name);
  } catch (...) {
    if (destroy_) destroy_(data_);
    gst_structure_free(values_);
    throw;
  }
}

CWork::~CWork() {
  if (destroy_) destroy_(data_);
  gst_structure_free(values_);
}

void CWork::set_data(gpointer data, GDestroyNotify destroy) {
  if (destroy_) destroy_(data_);
  data_ = data;
  destroy_ = destroy;
}

void CWork::compute(StageFrame& frame, Rows rows) const {
  _GstTandemFrame here{this, &frame, nullptr, {}};
  klass()->compute(stage_, &here, rows.begin, rows.end);
}

void CWork::combine(StageFrame& frame) const {
  _GstTandemFrame here{this, &frame, nullptr, {}};
  if (klass()->combine) klass()->combine(stage_, &here);
}

void CWork::publish(StageFrame& frame, GstBuffer* buffer) const {
  _GstTandemFrame here{this, &frame, nullptr, {}};
  if (klass()->publish) klass()->publish(stage_, &here, buffer);
}

void CWork::enqueue(StageFrame& frame, opencl::Queue& queue) const {
  if (kernel_) return enqueue_kernel(frame, queue);
  _GstTandemFrame here{this, &frame, &queue, {}};
  GError* error = nullptr;
  if (klass()->enqueue(stage_, &here, opencl::command_queue(queue), &error)) return;
  const std::string why = !here.problem.empty() ? here.problem
                          : error               ? error->message
                                                : "the stage gives no reason";
  g_clear_error(&error);
  throw opencl::Error(why);
}

void CWork::enqueue_kernel(StageFrame& frame, opencl::Queue& queue) const {
  std::array<opencl::SourceKernel::Argument, 2 * kMaxTensors + 3 + 16> arguments;
  std::size_t count = 0;
  if (pixels_ >= 0) {
    const auto luma = frame.upload(frame.luma(), pixels_, queue);
    arguments[count++] = luma.mem;
    arguments[count++] = luma.width;
    arguments[count++] = luma.height;
  }
  for (std::size_t i = 0; i < inputs_; ++i)
    arguments[count++] = frame.device_input(static_cast<int>(i), queue);
  for (std::size_t i = 0; i < outputs_.size(); ++i)
    if (static_cast<int>(i) != pixels_)
      arguments[count++] = frame.device_output(static_cast<int>(i), queue);
  for (const auto& value : arguments_) arguments[count++] = value;
  kernel_->enqueue(queue, items_, {arguments.data(), count});
}

}  // namespace tandem
