// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/gst/publish/certificates.h"

#include <cstdlib>
#include <stdexcept>

namespace tandem::test {
namespace {

void openssl(const std::string& arguments) {
  const std::string command = "openssl " + arguments + " >/dev/null 2>&1";
  if (std::system(command.c_str()) != 0) throw std::runtime_error(command);
}

constexpr char kNewKey[] = "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";

std::string in_quotes(const std::string& text) { return "'" + text + "'"; }

}  // namespace

Certificates::Certificates(const std::string& folder) : authority_(folder + "/authority.crt") {
  openssl(std::string(kNewKey) + " -x509 -days 2 -subj /CN=ours -keyout " +
          in_quotes(folder + "/authority.key") + " -out " + in_quotes(authority_));
}

TlsFiles Certificates::issue(const std::string& file, const std::string& names, int days) const {
  const TlsFiles files = {authority_, file + ".crt", file + ".key"};
  const std::string key = authority_.substr(0, authority_.size() - 3) + "key";
  const std::string alternative =
      names.empty() ? " -subj /CN=localhost"
                    : " -subj /CN=test -addext " + in_quotes("subjectAltName=" + names);
  openssl(std::string(kNewKey) + alternative + " -keyout " + in_quotes(files.key) + " -out " +
          in_quotes(file + ".csr"));
  openssl("x509 -req -copy_extensions copy -in " + in_quotes(file + ".csr") + " -CA " +
          in_quotes(authority_) + " -CAkey " + in_quotes(key) + " -CAcreateserial -days " +
          std::to_string(days) + " -out " + in_quotes(files.certificate));
  return files;
}

}  // namespace tandem::test
