// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/publish/tls.h"

#include <gio/gio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <new>
#include <stdexcept>

#include "files/regular_file.h"

namespace tandem {
namespace {

std::string reason_of(unsigned long error) {
  const char* reason = ERR_reason_error_string(error);
  return reason ? reason : "TLS failed";
}

// Removes all errors from this thread's queue; the first one has the reason.
std::string take_reason() {
  const unsigned long error = ERR_get_error();
  ERR_clear_error();
  return reason_of(error);
}

[[noreturn]] void refuse_file(const char* what, const std::string& path) {
  throw std::invalid_argument(std::string("the file with ") + what + ", '" + path +
                              "', cannot be used: " + take_reason());
}

// All bundles of authorities that systems have are below 1 MiB.
constexpr std::size_t kMostFileBytes = 16 << 20;

template <typename T>
using Owned = std::unique_ptr<T, void (*)(T*)>;

void free_bio(BIO* bio) { BIO_free(bio); }

/// A file in PEM. OpenSSL itself would wait for the writer of a FIFO.
class PemFile {
 public:
  PemFile(const char* what, const std::string& path)
      : what_(what), path_(path), file_(read_regular_file(path, kMostFileBytes)) {
    if (file_.problem.empty() && file_.bytes.empty()) file_.problem = "is empty";
    if (!file_.problem.empty())
      throw std::invalid_argument(std::string("the file with ") + what + ", '" + path + "' " +
                                  file_.problem);
  }
  ~PemFile() { OPENSSL_cleanse(file_.bytes.data(), file_.bytes.size()); }
  PemFile(const PemFile&) = delete;
  PemFile& operator=(const PemFile&) = delete;

  Owned<BIO> open() const {
    BIO* bio = BIO_new_mem_buf(file_.bytes.data(), static_cast<int>(file_.bytes.size()));
    if (!bio) throw std::bad_alloc();
    return {bio, free_bio};
  }
  [[noreturn]] void refuse() const { refuse_file(what_, path_); }

 private:
  const char* const what_;
  const std::string path_;
  RegularFile file_;
};

// No passphrase is available; OpenSSL would prompt on the terminal.
int no_passphrase(char*, int, int, void*) { return 0; }

void trust(SSL_CTX* context, const std::string& file) {
  if (file.empty()) {
    SSL_CTX_set_default_verify_paths(context);
    return;
  }
  const PemFile pem("trusted certificates", file);
  const auto free_infos = [](STACK_OF(X509_INFO) * infos) {
    sk_X509_INFO_pop_free(infos, X509_INFO_free);
  };
  const Owned<BIO> bio = pem.open();
  const Owned<STACK_OF(X509_INFO)> infos(
      PEM_X509_INFO_read_bio(bio.get(), nullptr, no_passphrase, nullptr), free_infos);
  if (!infos) pem.refuse();
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  int certificates = 0;
  for (int i = 0; i < sk_X509_INFO_num(infos.get()); ++i) {
    const X509_INFO* info = sk_X509_INFO_value(infos.get(), i);
    if (info->x509 && X509_STORE_add_cert(store, info->x509) != 1) pem.refuse();
    if (info->crl && X509_STORE_add_crl(store, info->crl) != 1) pem.refuse();
    certificates += info->x509 ? 1 : 0;
  }
  if (certificates == 0) {
    ERR_raise(ERR_LIB_X509, X509_R_NO_CERTIFICATE_FOUND);
    pem.refuse();
  }
}

// The client's certificate, and behind it those that lead to an authority.
void add_chain(SSL_CTX* context, const PemFile& pem) {
  const Owned<BIO> bio = pem.open();
  Owned<X509> own(PEM_read_bio_X509_AUX(bio.get(), nullptr, no_passphrase, nullptr), X509_free);
  if (!own || SSL_CTX_use_certificate(context, own.get()) != 1) pem.refuse();
  for (;;) {
    Owned<X509> next(PEM_read_bio_X509(bio.get(), nullptr, no_passphrase, nullptr), X509_free);
    if (!next) break;
    if (SSL_CTX_add0_chain_cert(context, next.get()) != 1) pem.refuse();
    static_cast<void>(next.release());  // the context owns it
  }
  // OpenSSL reports the end of the file as a missing first line of a certificate.
  if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) pem.refuse();
  ERR_clear_error();
}

void identify(SSL_CTX* context, const TlsFiles& files) {
  if (files.certificate.empty()) {
    if (!files.key.empty()) throw std::invalid_argument("a key-file needs a certificate-file");
    return;
  }
  add_chain(context, PemFile("the client's certificate", files.certificate));
  const PemFile pem("the client's key", files.key.empty() ? files.certificate : files.key);
  const Owned<BIO> bio = pem.open();
  const Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr),
                            EVP_PKEY_free);
  if (!key || SSL_CTX_use_PrivateKey(context, key.get()) != 1) pem.refuse();
}

bool has_alternative_names(const X509* certificate) {
  return certificate && X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1) >= 0;
}

// OpenSSL's words for the fault of a certificate, with ours where they are hard to understand.
std::string problem_of(int error, const X509* certificate) {
  std::string problem = X509_verify_cert_error_string(error);
  switch (error) {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
      return "it is not signed by a trusted authority (" + problem + ")";
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      if (has_alternative_names(certificate)) return problem;
      return problem +
             " (it has no subject alternative name; have it issued with one, as in "
             "docs/publishing.md)";
    default:
      return problem;
  }
}

// A refusal of our certificate, or a server without TLS, will not change with a retry.
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
  // The subject is a description (RFC 9525, section 2): OpenSSL would take it for the host's name
  // where a certificate has no alternative names.
  X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
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
  if (!fine)
    of(ssl).refusal_ =
        problem_of(X509_STORE_CTX_get_error(chain), X509_STORE_CTX_get_current_cert(chain));
  return fine;
}

// Sends the name of the host to the server. Here, because libmosquitto sends the address of the
// connection instead.
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
    advice = " (does the server use TLS on this port?)";
  return {"TLS: " + reason_of(error) + advice, stays(error)};
}

}  // namespace tandem
