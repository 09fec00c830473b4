// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/publish/tls.h"

#include <gio/gio.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <stdexcept>

namespace tandem {
namespace {

std::string reason_of(unsigned long error) {
  const char* reason = ERR_reason_error_string(error);
  return reason ? reason : "TLS failed";
}

// Takes all errors off this thread's queue; the first one says why.
std::string take_reason() {
  const unsigned long error = ERR_get_error();
  ERR_clear_error();
  return reason_of(error);
}

[[noreturn]] void refuse_file(const char* what, const std::string& path) {
  throw std::invalid_argument(std::string("the file with ") + what + ", '" + path +
                              "', is of no use: " + take_reason());
}

// Nobody is there to be asked; OpenSSL would ask the terminal.
int no_passphrase(char*, int, int, void*) { return 0; }

void trust(SSL_CTX* context, const std::string& file) {
  if (file.empty()) {
    SSL_CTX_set_default_verify_paths(context);
  } else if (SSL_CTX_load_verify_file(context, file.c_str()) != 1) {
    refuse_file("trusted certificates", file);
  }
}

void identify(SSL_CTX* context, const TlsFiles& files) {
  if (files.certificate.empty()) {
    if (!files.key.empty()) throw std::invalid_argument("there is a key and no certificate");
    return;
  }
  const std::string& key = files.key.empty() ? files.certificate : files.key;
  SSL_CTX_set_default_passwd_cb(context, no_passphrase);
  if (SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1)
    refuse_file("the client's certificate", files.certificate);
  if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1)
    refuse_file("the client's key", key);
}

// OpenSSL's words for the fault of a certificate, with ours where they are hard to understand.
std::string problem_of(int error) {
  const std::string problem = X509_verify_cert_error_string(error);
  switch (error) {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
      return "no trusted certificate vouches for it (" + problem + ")";
    default:
      return problem;
  }
}

// What the server says of our certificate, or that it does not speak TLS, it will say again.
bool stays(unsigned long error) {
  if (ERR_GET_LIB(error) != ERR_LIB_SSL) return false;
  switch (ERR_GET_REASON(error)) {
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_TLSV1_ALERT_ACCESS_DENIED:
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
      return true;
    default:
      return false;
  }
}

}  // namespace

TlsContext::TlsContext(const Location& location)
    : host_(location.host),
      is_name_(!g_hostname_is_ip_address(location.host.c_str())),
      context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free) {
  ERR_clear_error();
  SSL_CTX* context = context_.get();
  if (!context) throw std::bad_alloc();
  SSL_CTX_set_app_data(context, this);
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, &TlsContext::verified);
  SSL_CTX_set_info_callback(context, &TlsContext::state_changed);
  X509_VERIFY_PARAM* wanted = SSL_CTX_get0_param(context);
  const int set = is_name_ ? X509_VERIFY_PARAM_set1_host(wanted, host_.data(), host_.size())
                           : X509_VERIFY_PARAM_set1_ip_asc(wanted, host_.c_str());
  if (set != 1) throw std::invalid_argument("TLS cannot check a host called '" + host_ + "'");
  trust(context, location.tls_files.ca);
  identify(context, location.tls_files);
}

TlsContext& TlsContext::of(const SSL* ssl) {
  return *static_cast<TlsContext*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
}

int TlsContext::verified(int fine, X509_STORE_CTX* chain) {
  const auto* ssl = static_cast<const SSL*>(
      X509_STORE_CTX_get_ex_data(chain, SSL_get_ex_data_X509_STORE_CTX_idx()));
  if (!fine) of(ssl).refusal_ = problem_of(X509_STORE_CTX_get_error(chain));
  return fine;
}

// Tells the server which host is meant. Here, because libmosquitto names the address instead, to
// which it was told to connect.
void TlsContext::state_changed(const SSL* ssl, int where, int) {
  const TlsContext& self = of(ssl);
  if (!(where & SSL_CB_HANDSHAKE_START)) return;
  const char* name = self.is_name_ ? self.host_.c_str() : nullptr;
  SSL_set_tlsext_host_name(const_cast<SSL*>(ssl), name);
}

TlsFailure TlsContext::failure(unsigned long error) const {
  if (!refusal_.empty()) {
    return {"the certificate of " + host_ + " is refused: " + refusal_, true};
  }
  std::string advice;
  if (ERR_GET_LIB(error) == ERR_LIB_SSL && ERR_GET_REASON(error) == SSL_R_WRONG_VERSION_NUMBER)
    advice = " (does the server speak TLS on this port?)";
  return {"TLS: " + reason_of(error) + advice, stays(error)};
}

}  // namespace tandem
