// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <glib-object.h>

#include <string>
#include <vector>

#include "kernels/stage_file/stage_file.h"

/// Properties belong to a class in GObject, and those of a stage file to an element that is there
/// already. Two means make one of the other:
///
/// - An instance that gets its file becomes one of a class with the file's properties: a sibling of
///   the class that it had, of the same size (stage_class_of, become).
/// - gst_parse_launch() looks properties up in the class of the factory, before there is an element
///   (GStreamer 1.22). There each name that a file has used is a property of the type string, whose
///   text the element reads as its own file says (announce). They come from the reader of the type
///   of `location`, in a line such as `kernelstage location=sobel.cl gain=2`: location is first.
namespace tandem {

/// The numbers of properties.
inline constexpr guint kLocationProperty = 1, kFirstParameterProperty = 2;

struct PropertyFunctions {
  GObjectSetPropertyFunc set;
  GObjectGetPropertyFunc get;
};

/// The subclass of `base` with a property for each parameter: registered when it is first asked
/// for, the same for the same parameters. `element` is the class that GStreamer knows.
GType stage_class_of(GType base, GType element, const std::vector<StageParameter>& parameters,
                     PropertyFunctions functions);

/// Makes the instance one of this class, which has the same base and size.
void become(GObject* object, GType type);

/// Gives the class `element` a property of the type string for each name that it has not yet.
/// GObject has no lock for that: launch lines with new names are to be parsed one at a time.
void announce(GType element, const std::vector<StageParameter>& parameters);
/// The name behind a property that announce() made.
std::string announced_name(guint id);

/// A type that is a string. Whoever reads a value of it from text calls `read` with that text.
GType stage_location_type(void (*read)(const char* location));

}  // namespace tandem
