// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/neighbourhoodcontext.h"

#include "gst/util/sharedcontext.h"

namespace tandem {
namespace {

constexpr char kBoxedName[] = "TandemNeighbourhood";
using Context = SharedContext<Neighbourhood, kBoxedName>;
constexpr const char* kType = GST_TANDEM_NEIGHBOURHOOD_CONTEXT_TYPE;

}  // namespace

GstContext* neighbourhood_context(std::shared_ptr<Neighbourhood> neighbourhood) {
  return Context::make(kType, neighbourhood);
}

std::shared_ptr<Neighbourhood> find_neighbourhood(GstElement* element) {
  if (auto mine = Context::of(element, kType)) return mine;
  return Neighbourhood::of_process();
}

}  // namespace tandem
