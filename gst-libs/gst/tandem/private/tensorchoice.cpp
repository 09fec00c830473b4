// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/private/gsttensors.h>
#include <gst/tandem/private/tensorchoice.h>

#include <algorithm>

namespace tandem {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\n";
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

// "'a', 'b'", of those for which `is_listed` holds.
template <class Names, class IsListed>
std::string listed(const Names& names, IsListed&& is_listed) {
  std::string text;
  for (const TensorName name : names)
    if (is_listed(name)) text += (text.empty() ? "'" : ", '") + std::string(name.text()) + "'";
  return text;
}

}  // namespace

TensorChoice::TensorChoice(std::string_view text) {
  text = trimmed(text);
  all_ = text == "all";
  if (all_ || text == "none") return;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    if (const auto name = trimmed(text.substr(0, end)); !name.empty())
      names_.emplace_back(std::string(name).c_str());
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

bool TensorChoice::has(TensorName name) const {
  return all_ || std::ranges::find(names_, name) != names_.end();
}

std::string TensorChoice::take_warning(const std::string& stage,
                                       std::span<const TensorSpec> outputs) const {
  if (checked_.exchange(true)) return {};
  if (!gst_tensors::are_available()) {
    return "The property tensors of " + stage +
           " has no effect: this Tandem was built without GStreamer's library of tensors. Build it "
           "with gstreamer-analytics-1.0 of GStreamer 1.26 or newer.";
  }
  std::vector<TensorName> made;
  for (const TensorSpec& output : outputs)
    if (!output.scratch) made.push_back(output.name);
  const std::string unknown =
      listed(names_, [&](TensorName name) { return std::ranges::find(made, name) == made.end(); });
  if (unknown.empty()) return {};
  const std::string known = listed(made, [](TensorName) { return true; });
  return "The property tensors of " + stage + " names " + unknown + ", which " + stage +
         " does not make. It makes " + (known.empty() ? "no tensor" : known) + ".";
}

}  // namespace tandem
