// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/work.h"

#include <gst/tandem/private/stageadapter.h>

namespace tandem {

ChainWork::ChainWork(const std::vector<GstTandemStage*>& stages) {
  for (GstTandemStage* stage : stages) {
    adapters_.push_back(&adapter_of(stage));
    adapters_.back()->describe();
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
  for (std::size_t k = 0; k < adapters_.size(); ++k) adapters_[k]->use(read_[k]);
  text_ = describe();
  due_ = false;
}

std::string ChainWork::describe() const {
  std::string text;
  for (const auto& settings : read_) text += (text.empty() ? "" : " ! ") + settings->work;
  return text;
}

}  // namespace tandem
