// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/pipelines/report/page_elements.h"

#include <glib.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tandem::test {
namespace {

struct Reader {
  std::vector<PageElement> elements;
  std::vector<int> open;
};

void begin(GMarkupParseContext*, const char* name, const char** attributes, const char** values,
           gpointer data, GError**) {
  auto& reader = *static_cast<Reader*>(data);
  PageElement element{name, "", {}, reader.open.empty() ? -1 : reader.open.back()};
  for (; *attributes; ++attributes, ++values) element.attributes[*attributes] = *values;
  reader.open.push_back(static_cast<int>(reader.elements.size()));
  reader.elements.push_back(std::move(element));
}

void end(GMarkupParseContext*, const char*, gpointer data, GError**) {
  static_cast<Reader*>(data)->open.pop_back();
}

void read_text(GMarkupParseContext*, const char* text, gsize length, gpointer data, GError**) {
  auto& reader = *static_cast<Reader*>(data);
  for (const int index : reader.open) reader.elements[index].text.append(text, length);
}

// Whether `outer` is around `inner`, directly or not.
bool is_within(const Page& page, int inner, int outer) {
  while (inner >= 0 && inner != outer) inner = page[inner].parent;
  return inner == outer;
}

}  // namespace

std::string PageElement::operator[](const std::string& attribute) const {
  const auto found = attributes.find(attribute);
  return found == attributes.end() ? "" : found->second;
}

Page parse_page(const std::string& page) {
  const GMarkupParser parser = {begin, end, read_text, nullptr, nullptr};
  Reader reader;
  GMarkupParseContext* context =
      g_markup_parse_context_new(&parser, GMarkupParseFlags(0), &reader, nullptr);
  GError* error = nullptr;
  if (!g_markup_parse_context_parse(context, page.data(), static_cast<gssize>(page.size()),
                                    &error) ||
      !g_markup_parse_context_end_parse(context, &error)) {
    ADD_FAILURE() << "the page is not well formed: " << error->message;
    g_error_free(error);
  }
  g_markup_parse_context_free(context);
  return reader.elements;
}

int count_elements(const Page& page, const std::string& name, const std::string& css_class) {
  return static_cast<int>(std::count_if(page.begin(), page.end(), [&](const PageElement& element) {
    return element.name == name && element["class"] == css_class;
  }));
}

int count_marks(const Page& page, const std::string& mark) {
  const std::string target = std::string("#mark-").append(mark);
  return static_cast<int>(std::count_if(page.begin(), page.end(), [&](const PageElement& element) {
    return element.name == "use" && element["href"] == target && !element["transform"].empty();
  }));
}

int section_of(const Page& page, const std::string& heading) {
  const auto found = std::find_if(page.begin(), page.end(), [&](const PageElement& element) {
    return element.name == "h3" && element.text.starts_with(heading);
  });
  if (found != page.end()) return found->parent;
  ADD_FAILURE() << "no part '" << heading << "'";
  return 0;
}

const PageElement* drawn(const Page& page, const std::string& section,
                         const std::string& configuration, const std::string& name,
                         const std::string& class_or_href) {
  const int outer = section_of(page, section);
  for (int i = 0; i < static_cast<int>(page.size()); ++i) {
    const PageElement& element = page[i];
    if (element.name != name) continue;
    if (element["class"] != class_or_href && element["href"] != class_or_href) continue;
    if (element.parent < 0 || !page[element.parent].text.starts_with(configuration + ":")) continue;
    if (is_within(page, i, outer)) return &element;
  }
  return nullptr;
}

}  // namespace tandem::test
