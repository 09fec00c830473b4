// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "gst/publish/location.h"

namespace tandem {

/// Why TLS came to nothing.
struct TlsFailure {
  std::string what;
  bool hopeless = false;  ///< another connection would fare no better
};

/// The state of OpenSSL for one connection to the server of a location. The server's certificate
/// must be vouched for, in date, and of the location's host; no option turns this check off.
class TlsContext {
 public:
  /// Throws std::invalid_argument, which names the file that is of no use.
  explicit TlsContext(const Location& location);
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  SSL_CTX* get() const { return context_.get(); }
  /// The meaning of an error in OpenSSL's queue, with the fault of the certificate if it has one.
  TlsFailure failure(unsigned long error) const;

 private:
  static int verified(int fine, X509_STORE_CTX* chain);
  static void state_changed(const SSL* ssl, int where, int result);
  static TlsContext& of(const SSL* ssl);

  const std::string host_;
  const bool is_name_;   // of a host, not an address
  std::string refusal_;  // what is wrong with the server's certificate
  const std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context_;
};

}  // namespace tandem
