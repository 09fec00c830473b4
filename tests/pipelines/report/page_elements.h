// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tandem::test {

struct PageElement {
  std::string name, text;  ///< text: of the element and all within it
  std::map<std::string, std::string> attributes;
  int parent = -1;  ///< index of the element around it

  /// The attribute, or nothing.
  std::string operator[](const std::string& attribute) const;
  double number(const std::string& attribute) const { return std::stod((*this)[attribute]); }
};

using Page = std::vector<PageElement>;

/// The page's elements in the order in which they begin, by an XML parser. A page that is not well
/// formed is a test failure.
Page parse_page(const std::string& page);

int count_elements(const Page& page, const std::string& name, const std::string& css_class);

/// Times that a mark is used in charts; legends are not counted.
int count_marks(const Page& page, const std::string& mark);

/// The index of the part of the page under this heading.
int section_of(const Page& page, const std::string& heading);

/// What stands for a configuration in the charts of one section: its first element `name` with that
/// class or href, or null.
const PageElement* drawn(const Page& page, const std::string& section,
                         const std::string& configuration, const std::string& name,
                         const std::string& class_or_href);

}  // namespace tandem::test
