// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/chain.h"

#include <gst/tandem/private/ref.h>

#include <algorithm>
#include <stdexcept>

#include "files/error_text.h"
#include "model/configuration.h"

namespace tandem {
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
        "tandembin is empty: put stages into it, as in \"tandembin.( vividfilter ! vividhistogram "
        "! "
        "vividclassifier )\", or set its 'stages' property.");
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
    const std::string why = error ? error->message : "not a launch description";
    g_clear_error(&error);
    throw std::runtime_error("The stages \"" + description + "\" cannot be made: " + why + ".");
  }
  ObjectRef<GstElement> owner(GST_ELEMENT_CAST(gst_object_ref_sink(parsed)));
  check_stages(GST_BIN_CAST(parsed));
  std::vector<GstElement*> elements;
  try {
    for (GstTandemStage* stage : find_chain(GST_BIN_CAST(parsed)))
      elements.push_back(GST_ELEMENT_CAST(stage));
  } catch (const std::runtime_error&) {
    elements = children_of(GST_BIN_CAST(parsed));  // READY says what is wrong with them
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

}  // namespace tandem
