// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "gst/publish/location.h"

namespace tandem {

/// The reason why a TLS connection failed.
struct TlsFailure {
  std::string what;
  bool hopeless = false;  ///< another connection would fail too
};

/// The state of OpenSSL for one connection to the server of a location. The server's certificate
/// must be trusted, current, and of the location's host; no option disables this check.
class TlsContext {
 public:
  /// Throws std::invalid_argument with the name of the unusable file.
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
