// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <utility>

namespace tandem {

/// The result of a step of the frame path, which does not throw. Without an allocation if ok.
class Status {
 public:
  enum class Kind {
    ok,
    device_failed,  ///< the device did not compute it; another one or the CPU can
    failed,         ///< the frame goes on without the result
  };

  Status() = default;
  /// `device`: its number; negative: the device that the frame was on.
  static Status device_failed(std::string why, int device = -1) {
    return {Kind::device_failed, std::move(why), device};
  }
  static Status failed(std::string why) { return {Kind::failed, std::move(why), -1}; }

  bool ok() const { return kind_ == Kind::ok; }
  Kind kind() const { return kind_; }
  const std::string& message() const { return message_; }
  int device() const { return device_; }

 private:
  Status(Kind kind, std::string message, int device)
      : kind_(kind), device_(device), message_(std::move(message)) {}
  Kind kind_ = Kind::ok;
  int device_ = -1;
  std::string message_;
};

}  // namespace tandem
