// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/chain.h"

#include <gst/tandem/private/flow/stageadapter.h>
#include <gst/tandem/private/leftout.h>
#include <gst/tandem/private/ref.h>
#include <gst/tandem/tensormeta.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "files/error_text.h"
#include "model/configuration.h"

namespace tandem::bin {
namespace {

// In the order in which they were added: GstBin puts the newest first.
std::vector<GstElement*> children_of(GstBin* bin) {
  std::vector<GstElement*> children;
  ObjectLock lock(bin);
  for (GList* link = GST_BIN_CHILDREN(bin); link; link = link->next)
    children.push_back(GST_ELEMENT_CAST(link->data));
  std::reverse(children.begin(), children.end());
  return children;
}

// The element on the other side of `pad` of `element`, when it is a child of the same bin.
GstElement* neighbour(GstBin* bin, GstElement* element, const char* pad_name) {
  ObjectRef<GstPad> pad(gst_element_get_static_pad(element, pad_name));
  ObjectRef<GstPad> peer(pad ? gst_pad_get_peer(pad.get()) : nullptr);
  ObjectRef<GstElement> other(peer ? gst_pad_get_parent_element(peer.get()) : nullptr);
  const bool sibling = other && GST_OBJECT_PARENT(other.get()) == GST_OBJECT_CAST(bin);
  return sibling ? other.get() : nullptr;  // the bin keeps it
}

std::string describe(GstElement* element) {
  GstElementFactory* factory = gst_element_get_factory(element);
  return "'" + std::string(GST_OBJECT_NAME(element)) + "'" +
         (factory ? std::string(" (") + GST_OBJECT_NAME(factory) + ")" : "");
}

void target_ghost(GstPad* ghost, GstTandemStage* stage, const char* pad_name) {
  ObjectRef<GstPad> target(gst_element_get_static_pad(GST_ELEMENT_CAST(stage), pad_name));
  ObjectRef<GstPad> present(gst_ghost_pad_get_target(GST_GHOST_PAD_CAST(ghost)));
  if (present.get() == target.get()) return;
  if (!gst_ghost_pad_set_target(GST_GHOST_PAD_CAST(ghost), target.get()))
    throw std::runtime_error(std::string("tandembin cannot use the pad ") + pad_name + " of '" +
                             GST_OBJECT_NAME(stage) + "'.");
}

void check_stages(GstBin* bin) {
  for (GstElement* child : children_of(bin)) {
    if (!GST_IS_TANDEM_STAGE(child)) {
      throw std::runtime_error("tandembin holds Tandem stages only, but " + describe(child) +
                               " is not one: put it before or after the bin.");
    }
  }
}

// The stage that the one at `last` repeats from; -1 when it is not there.
int find_first(const std::vector<GstTandemStage*>& stages, int last) {
  const std::string wanted = adapter_of(stages[last]).description().repeats_from;
  int first = last;
  while (first >= 0 && adapter_of(stages[first]).name() != wanted) --first;
  return first;
}

int rounds_of(GstTandemStage* stage) { return adapter_of(stage).work().settings()->rounds; }

bool has_children(const std::string& name) {
  const ObjectRef<GstElementFactory> factory(gst_element_factory_find(name.c_str()));
  return factory && gst_element_factory_has_interface(factory.get(), "GstChildProxy");
}

// The parser reports that an element has no such property; its children may have it.
std::string advice(const GError* error, const std::string& description) {
  if (!g_error_matches(error, GST_PARSE_ERROR, GST_PARSE_ERROR_NO_SUCH_PROPERTY)) return {};
  const std::string_view message = error->message;
  std::istringstream words(description);
  std::string element, word;
  while (words >> word) {
    const std::string name = word.substr(0, word.find('='));
    if (name == word) {
      if (has_children(word)) element = word;
    } else if (!element.empty() && message.find('"' + name + '"') != message.npos &&
               message.find('"' + element + '"') != message.npos) {
      return ". Properties of its children are written as in params::" + word;
    }
  }
  return {};
}

}  // namespace

bool holds_stages_only(GstBin* bin) {
  try {
    check_stages(bin);
    return true;
  } catch (const std::exception& e) {
    GST_ELEMENT_ERROR(bin, LIBRARY, SETTINGS, ("%s", error_text(e).c_str()), (nullptr));
    return false;
  }
}

std::vector<GstTandemStage*> find_chain(GstBin* bin) {
  const std::vector<GstElement*> children = children_of(bin);
  if (children.empty()) {
    throw std::runtime_error(
        "tandembin is empty: put stages into it, as in \"tandembin.( STAGE ! STAGE )\", or set its "
        "'stages' property.");
  }
  if (children.size() > static_cast<std::size_t>(kMaxStages))
    throw std::runtime_error("tandembin holds at most " + std::to_string(kMaxStages) + " stages.");
  check_stages(bin);
  const bool linked = std::any_of(children.begin(), children.end(), [&](GstElement* child) {
    return neighbour(bin, child, "src") != nullptr;
  });
  if (!linked) {
    for (std::size_t k = 1; k < children.size(); ++k) {
      if (!gst_element_link(children[k - 1], children[k])) {
        throw std::runtime_error("tandembin cannot link " + describe(children[k - 1]) + " to " +
                                 describe(children[k]) + ".");
      }
    }
  }
  const auto first = std::find_if(children.begin(), children.end(), [&](GstElement* child) {
    return neighbour(bin, child, "sink") == nullptr;
  });
  std::vector<GstTandemStage*> chain;
  GstElement* next = first == children.end() ? nullptr : *first;
  for (; next && chain.size() < children.size(); next = neighbour(bin, next, "src"))
    chain.push_back(GST_TANDEM_STAGE(next));
  if (chain.size() == children.size()) return chain;
  for (GstElement* child : children) {
    if (std::find(chain.begin(), chain.end(), GST_TANDEM_STAGE(child)) == chain.end()) {
      throw std::runtime_error("The stages inside tandembin are not one chain: " + describe(child) +
                               " is not linked to the others.");
    }
  }
  throw std::runtime_error("The stages inside tandembin are not one chain.");
}

void fill_from_description(GstBin* bin, const std::string& description) {
  GError* error = nullptr;
  GstElement* parsed = gst_parse_bin_from_description_full(description.c_str(), FALSE, nullptr,
                                                           GST_PARSE_FLAG_FATAL_ERRORS, &error);
  if (!parsed) {
    const std::string why =
        error ? error->message + advice(error, description) : "invalid launch description";
    g_clear_error(&error);
    throw std::runtime_error("The stages \"" + description + "\" cannot be created: " + why + ".");
  }
  ObjectRef<GstElement> owner(GST_ELEMENT_CAST(gst_object_ref_sink(parsed)));
  check_stages(GST_BIN_CAST(parsed));
  std::vector<GstElement*> elements;
  try {
    for (GstTandemStage* stage : find_chain(GST_BIN_CAST(parsed)))
      elements.push_back(GST_ELEMENT_CAST(stage));
  } catch (const std::runtime_error&) {
    elements = children_of(GST_BIN_CAST(parsed));  // the change to READY reports their faults
  }
  for (GstElement* element : elements) {
    gst_object_ref(element);
    gst_bin_remove(GST_BIN_CAST(parsed), element);
    gst_bin_add(bin, element);
    gst_object_unref(element);
  }
}

void expose_chain(const std::vector<GstTandemStage*>& stages, GstPad* sink, GstPad* src) {
  target_ghost(sink, stages.front(), "sink");
  target_ghost(src, stages.back(), "src");
}

ChainWork::ChainWork(const std::vector<GstTandemStage*>& stages) {
  for (GstTandemStage* stage : stages) {
    adapters_.push_back(&adapter_of(stage));
    adapters_.back()->work().describe();
    read_.push_back(adapters_.back()->read_settings());
  }
  take_over();
}

bool ChainWork::read() {
  bool any = false;
  for (std::size_t k = 0; k < adapters_.size(); ++k) {
    if (!adapters_[k]->properties_set()) continue;
    read_[k] = adapters_[k]->read_settings();
    any = true;
  }
  if (!any) return due_;
  due_ = describe() != text_;
  if (!due_) take_over();
  return due_;
}

void ChainWork::take_over() {
  for (std::size_t k = 0; k < adapters_.size(); ++k) adapters_[k]->work().use(read_[k]);
  text_ = describe();
  due_ = false;
}

std::string ChainWork::describe() const {
  std::string text;
  for (const auto& settings : read_) text += (text.empty() ? "" : " ! ") + settings->work;
  return text;
}

ChainRepeat::ChainRepeat(const std::vector<GstTandemStage*>& stages) {
  int asked = 0;
  for (int last = 0; last < static_cast<int>(stages.size()); ++last) {
    GstTandemStage* stage = stages[last];
    const StageDescription& description = adapter_of(stage).description();
    if (!description.repeats_from) continue;
    const int rounds = rounds_of(stage);
    const std::string problem = adapter_of(stage).name() + " is set to send frames " +
                                std::to_string(rounds) + " times through the stages from " +
                                description.repeats_from + " on";
    const int first = find_first(stages, last);
    const bool serial = first >= 0 && std::any_of(&stages[first], &stages[last], [](auto* between) {
                          return adapter_of(between).serial();
                        });
    if (rounds > 1 && first < 0)
      throw std::runtime_error(problem + ", but none of that name precedes it in this tandembin.");
    if (rounds > 1 && serial)
      throw std::runtime_error(problem +
                               ", but a stage in between is serial: it must see each frame once.");
    if (rounds > 1 && ++asked > 1)
      throw std::runtime_error(
          problem + ", but tandembin repeats one part of a chain only: set the other one to 1.");
    if (first >= 0 && !serial) parts_.push_back({stage, {first, last, 1}});
  }
}

ChainIntervals::ChainIntervals(const std::vector<GstTandemStage*>& stages) {
  for (GstTandemStage* stage : stages) adapters_.push_back(&adapter_of(stage));
  for (int k = 0; k < std::ssize(adapters_); ++k) {
    Intervals::Rule& rule = rules_.emplace_back();
    for (const StageDescription::Input& input : adapters_[k]->description().inputs) {
      int maker = k - 1;
      while (maker >= 0 && adapters_[maker]->name() != input.producer) --maker;
      if (maker >= 0) {
        rule.reads |= 1u << maker;
      } else {
        from_outside_.push_back({k, &input});
      }
    }
  }
  begin({});
}

void ChainIntervals::begin(const Repeat& repeat) {
  for (std::size_t k = 0; k < adapters_.size(); ++k)
    rules_[k].interval = adapters_[k]->work().settings()->interval;
  intervals_.set(rules_, repeat);
}

uint32_t ChainIntervals::next(GstBuffer* buffer) {
  uint32_t absent = 0;
  for (const auto& [stage, input] : from_outside_)
    if (!gst_buffer_get_tandem_tensor_meta(buffer, input->tensor.text())) absent |= 1u << stage;
  const bool marked = absent != 0 && is_marked_left_out(buffer);
  return intervals_.next(marked ? absent : 0, absent);
}

Repeat ChainRepeat::now() const {
  for (const Part& part : parts_) {
    const int rounds = rounds_of(part.stage);
    if (rounds > 1) return {part.repeat.first, part.repeat.last, rounds};
  }
  return {};
}

}  // namespace tandem::bin
