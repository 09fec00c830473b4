// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tandem::reference {

/// Names of the plugin's elements, in alphabetical order.
std::vector<std::string> element_names(GstPlugin* plugin);

/// An element as an instance shows it: its description, pads, properties and signals. What it
/// inherits from GStreamer's own classes is left out.
nlohmann::ordered_json describe_element(const std::string& name);

/// Names and types of the fields of a structure; fields of structures inside arrays are named
/// "array.field".
nlohmann::ordered_json describe_structure(const GstStructure* structure);

}  // namespace tandem::reference
