// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/read/edited_code.h"

#include <algorithm>

namespace tandem::generate {
namespace {

class Editor {
 public:
  explicit Editor(const ExpandedCode& code) : code_(code) {}

  ExpandedCode apply(const std::vector<Edit>& edits) {
    for (const Edit& edit : edits) {
      copy_to(edit.span.begin);
      made_.pieces.push_back({made_.text.size(), code_.source(edit.span.begin), false});
      made_.text += edit.text;
      done_ = edit.span.end;
    }
    copy_to(code_.text.size());
    for (NamedNumber number : code_.numbers) {
      number.span = {moved(number.span.begin, edits), moved(number.span.end, edits)};
      made_.numbers.push_back(number);
    }
    return std::move(made_);
  }

 private:
  void copy_to(std::size_t end) {
    if (done_ >= end) return;
    const auto places = [&](std::size_t from) { return made_.text.size() + from - done_; };
    // The piece that the first byte is in, then those that begin behind it.
    auto piece = std::ranges::upper_bound(code_.pieces, done_, {}, &ExpandedCode::Piece::at);
    const bool is_copied = piece == code_.pieces.begin() || std::prev(piece)->is_copied;
    made_.pieces.push_back({places(done_), code_.source(done_), is_copied});
    for (; piece != code_.pieces.end() && piece->at < end; ++piece)
      made_.pieces.push_back({places(piece->at), piece->from, piece->is_copied});
    made_.text += code_.text.substr(done_, end - done_);
    done_ = end;
  }

  static std::size_t moved(std::size_t at, const std::vector<Edit>& edits) {
    std::size_t place = at;
    for (const Edit& edit : edits)
      if (edit.span.end <= at) place += edit.text.size() - (edit.span.end - edit.span.begin);
    return place;
  }

  const ExpandedCode& code_;
  ExpandedCode made_;
  std::size_t done_ = 0;  // of the code
};

}  // namespace

ExpandedCode edited(const ExpandedCode& code, std::vector<Edit> edits) {
  std::ranges::stable_sort(edits, [](const Edit& a, const Edit& b) {
    return std::pair(a.span.begin, a.span.end) < std::pair(b.span.begin, b.span.end);
  });
  return Editor(code).apply(edits);
}

}  // namespace tandem::generate
