// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "gst/publish/location.h"

namespace tandem::test {

/// An authority of this test's own in a folder, and what it vouches for, made by openssl.
class Certificates {
 public:
  /// Throws std::runtime_error.
  explicit Certificates(const std::string& folder);

  const std::string& authority() const { return authority_; }
  /// `names`, the subject's alternative ones, as in "DNS:localhost,IP:127.0.0.1"; empty: the
  /// subject itself is localhost. With -1 days it is out of date.
  TlsFiles issue(const std::string& file, const std::string& names, int days = 2) const;

 private:
  std::string authority_;  // without ".crt" and ".key"
};

}  // namespace tandem::test
