// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/neighbourhoodcontext.h"

#include "gst/bin/sharedcontext.h"

namespace tandem {
namespace {

constexpr char kNeighbourhoodName[] = "TandemNeighbourhood";
using NeighbourhoodContext = SharedContext<Neighbourhood, kNeighbourhoodName>;
constexpr const char* kNeighbourhoodType = GST_TANDEM_NEIGHBOURHOOD_CONTEXT_TYPE;

}  // namespace

GstContext* neighbourhood_context(std::shared_ptr<Neighbourhood> neighbourhood) {
  return NeighbourhoodContext::make(kNeighbourhoodType, neighbourhood);
}

std::shared_ptr<Neighbourhood> find_neighbourhood(GstElement* element) {
  if (auto mine = NeighbourhoodContext::of(element, kNeighbourhoodType)) return mine;
  return Neighbourhood::of_process();
}

}  // namespace tandem
