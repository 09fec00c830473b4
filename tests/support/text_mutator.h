// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::test {

/// Texts like those of a corpus, each with a few changes: lines and words move, numbers and words
/// become hostile ones, bytes are damaged. The same seed makes the same texts.
class TextMutator {
 public:
  TextMutator(std::vector<std::string> corpus, std::vector<std::string> words, unsigned seed)
      : corpus_(std::move(corpus)), words_(std::move(words)), random_(seed) {
    std::ranges::sort(corpus_);  // folders have no order
  }

  std::string make() {
    std::string text = corpus_[below(corpus_.size())];
    for (std::size_t n = 1 + below(4); n > 0 && !text.empty(); --n) change(text);
    return text;
  }

 private:
  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }

  void change(std::string& text) {
    const std::size_t at = below(text.size());
    switch (below(7)) {
      case 0:
        text[at] = static_cast<char>(text[at] ^ 1 << below(7));
        break;
      case 1:  // a span once more, somewhere
        text.insert(below(text.size()), text.substr(at, 1 + below(60)));
        break;
      case 2:
        text.erase(at, 1 + below(60));
        break;
      case 3:  // a line of another text
        text.insert(text.rfind('\n', at) + 1, line_of(corpus_[below(corpus_.size())]));
        break;
      case 4: {  // a line less
        const std::size_t begin = text.rfind('\n', at) + 1;
        text.erase(begin, text.find('\n', at) - begin);
        break;
      }
      default: {  // a word for another
        constexpr std::string_view kLetters =
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
        const std::size_t begin = text.find_first_of(kLetters, at);
        if (begin == text.npos) break;
        const std::size_t end = std::min(text.find_first_not_of(kLetters, begin), text.size());
        text.replace(begin, end - begin, words_[below(words_.size())]);
      }
    }
  }

  std::string line_of(const std::string& text) {
    if (text.empty()) return {};
    const std::size_t at = below(text.size());
    const std::size_t begin = text.rfind('\n', at) + 1;
    return text.substr(begin, std::min(text.find('\n', at), text.size()) - begin) + "\n";
  }

  std::vector<std::string> corpus_;
  const std::vector<std::string> words_;
  std::mt19937 random_;
};

/// The files of a folder that end so.
inline std::vector<std::string> texts_in(const std::filesystem::path& folder,
                                         const std::string& ending) {
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ending) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return texts;
}

/// Until when to make texts: $TANDEM_FUZZ_SECONDS from now on, a second unless it is set.
inline std::chrono::steady_clock::time_point fuzz_end() {
  const char* const seconds = std::getenv("TANDEM_FUZZ_SECONDS");
  return std::chrono::steady_clock::now() + std::chrono::seconds(seconds ? std::atoi(seconds) : 1);
}

}  // namespace tandem::test
