// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <tuple>
#include <utility>

namespace tandem {

/// Makes a T from a key, such as a model's path and an OpenCL context, and keeps the last one, so
/// that data for frames of any size are made once.
template <class T, class... Key>
class LastMade {
 public:
  /// Returns T(key...). It keeps the key alive. Throws what the constructor throws.
  std::shared_ptr<const T> of(const Key&... key) {
    if (std::tuple wanted(key...); !made_ || made_->key != wanted)
      made_ = std::make_shared<const Made>(std::move(wanted));
    return {made_, &made_->value};
  }

 private:
  struct Made {
    const std::tuple<Key...> key;
    const T value;
    explicit Made(std::tuple<Key...> from)
        : key(std::move(from)), value(std::make_from_tuple<T>(key)) {}
  };
  std::shared_ptr<const Made> made_;
};

}  // namespace tandem
