// SPDX-License-Identifier: LGPL-2.1-or-later
// Over TLS: who is spoken to, who is not, and what the error says.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/gst/publish/certificates.h"
#include "tests/gst/publish/publishing.h"
#include "tests/gst/publish/real_broker.h"

namespace tandem::test {
namespace {

class SecureBrokers : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    broker_ = real_broker(GetParam());
    if (!broker_)
      GTEST_SKIP() << "needs a broker for " << GetParam() << ": mosquitto or redis-server";
  }
  static std::string with_name(std::string location) {
    return location.replace(location.find("127.0.0.1"), 9, "localhost");
  }
  static void expect_published(const std::string& location, const std::string& properties) {
    Publishing publishing(location, properties);
    publishing.play();
    publishing.push(3);
    EXPECT_TRUE(comes_true([&] { return publishing.stat("published") == 3; }));
    EXPECT_TRUE(publishing.messages.all(GST_MESSAGE_ERROR).empty());
  }
  // It is an error, at once and for good.
  static void expect_refused(const std::string& location, const std::string& properties,
                             const std::string& said) {
    SCOPED_TRACE(location + " " + properties);
    Publishing publishing(location, properties);
    publishing.play();
    publishing.push(1);
    const Message error = publishing.messages.wait(GST_MESSAGE_ERROR);
    EXPECT_EQ(error.source, "publish");
    EXPECT_NE(error.text.find(said), std::string::npos) << error.text;
    EXPECT_EQ(publishing.stat("published"), 0U);
  }
  std::string folder() const {
    const std::string& ca = broker_->client_files().ca;
    return ca.substr(0, ca.rfind('/'));
  }

  std::unique_ptr<RealBroker> broker_;
};

TEST_P(SecureBrokers, OfAnUnknownAuthorityAreRefused) {
  broker_->start();
  const std::string said = "it is not signed by a trusted authority";
  expect_refused(broker_->location(), "", said);  // the system's know of no such authority
  const std::string elsewhere = folder() + "/elsewhere";
  std::filesystem::create_directory(elsewhere);
  const Certificates others(elsewhere);
  expect_refused(broker_->location(), "ca-file=" + others.authority(), said);
  expect_published(broker_->location(), broker_->properties());
}

TEST_P(SecureBrokers, OfAnotherNameAreRefused) {
  broker_->tls.names = "DNS:elsewhere.example,IP:127.0.0.2";
  broker_->start();
  expect_refused(broker_->location(), broker_->properties(), "IP address mismatch");
  expect_refused(with_name(broker_->location()), broker_->properties(), "hostname mismatch");
}

TEST_P(SecureBrokers, MayHaveAName) {
  broker_->tls.names = "DNS:localhost";
  broker_->start();
  expect_published(with_name(broker_->location()), broker_->properties());
  expect_refused(broker_->location(), broker_->properties(), "IP address mismatch");
}

// The subject of such a certificate is what a host's name was once read from.
TEST_P(SecureBrokers, WithoutAlternativeNamesAreRefused) {
  broker_->tls.names.clear();
  broker_->start();
  for (const std::string& location : {with_name(broker_->location()), broker_->location()})
    expect_refused(location, broker_->properties(), "it has no subject alternative name");
}

TEST_P(SecureBrokers, OutOfDateAreRefused) {
  broker_->tls.days = 0;
  broker_->start();
  expect_refused(broker_->location(), broker_->properties(), "certificate has expired");
}

TEST_P(SecureBrokers, MayAskWhoWeAre) {
  broker_->tls.asks_clients = true;
  broker_->start();
  const TlsFiles& files = broker_->client_files();
  const std::string ours = broker_->properties() + "certificate-file=" + files.certificate;
  expect_published(broker_->location(), ours + " key-file=" + files.key);
  expect_refused(broker_->location(), broker_->properties(), "certificate required");
  // Both in one file.
  std::ofstream(folder() + "/both.pem")
      << std::ifstream(files.certificate).rdbuf() << std::ifstream(files.key).rdbuf();
  expect_published(broker_->location(),
                   broker_->properties() + "certificate-file=" + folder() + "/both.pem");
}

TEST_P(SecureBrokers, FilesThatAreOfNoUseAreNamed) {
  broker_->start();
  const TlsFiles& files = broker_->client_files();
  expect_refused(broker_->location(), "ca-file=/nowhere/ca.crt", "'/nowhere/ca.crt'");
  expect_refused(broker_->location(), "ca-file=" + files.key, files.key);
  expect_refused(broker_->location(), broker_->properties() + "certificate-file=/nowhere/a.crt",
                 "'/nowhere/a.crt'");
  expect_refused(
      broker_->location(),
      broker_->properties() + "key-file=/nowhere/a.key certificate-file=" + files.certificate,
      "'/nowhere/a.key'");
  expect_refused(broker_->location(), broker_->properties() + "key-file=" + files.key,
                 "a key-file needs a certificate-file");
}

// Nobody writes into the FIFO: opening it would wait for ever.
TEST_P(SecureBrokers, FilesAreRegular) {
  broker_->start();
  const TlsFiles& files = broker_->client_files();
  const std::string fifo = folder() + "/fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const std::string said = fifo + "' is not a regular file";
  const std::string ours = broker_->properties();
  expect_refused(broker_->location("ann"), ours + "password-file=" + fifo, said);
  expect_refused(broker_->location(), "ca-file=" + fifo, said);
  expect_refused(broker_->location(), ours + "certificate-file=" + fifo, said);
  expect_refused(broker_->location(),
                 ours + "key-file=" + fifo + " certificate-file=" + files.certificate, said);
  expect_refused(broker_->location(), "ca-file=/dev/zero", "is not a regular file");
}

TEST_P(SecureBrokers, FilesHaveASize) {
  broker_->start();
  const std::string empty = folder() + "/empty", long_file = folder() + "/long";
  std::ofstream{empty};
  std::ofstream{long_file};
  std::filesystem::resize_file(long_file, 1 << 30);
  const std::string ours = broker_->properties();
  expect_refused(broker_->location("ann"), ours + "password-file=" + empty, "no password");
  expect_refused(broker_->location("ann"), ours + "password-file=" + long_file, "is longer than");
  expect_refused(broker_->location(), "ca-file=" + empty, empty + "' is empty");
  expect_refused(broker_->location(), "ca-file=" + long_file, "is longer than");
}

// A key that somebody would have to open with a passphrase must not stop and ask for it.
TEST_P(SecureBrokers, NobodyIsAskedForAPassphrase) {
  broker_->start();
  const TlsFiles& files = broker_->client_files();
  const std::string locked = folder() + "/locked.key";
  const std::string command =
      "openssl pkcs8 -topk8 -passout pass:secret -in " + files.key + " -out " + locked;
  ASSERT_EQ(std::system(command.c_str()), 0);
  expect_refused(
      broker_->location(),
      broker_->properties() + "key-file=" + locked + " certificate-file=" + files.certificate,
      locked);
}

TEST_P(SecureBrokers, TheOtherSideMustSpeakTls) {
  const std::string protocol = GetParam();
  const auto clear = real_broker(protocol.substr(0, protocol.size() - 1));
  clear->start();
  std::string location = clear->location();
  location.insert(location.find(':'), "s");
  Publishing publishing(location);
  publishing.play();
  publishing.push(1);
  EXPECT_TRUE(comes_true([&] {
    return !publishing.messages.all(GST_MESSAGE_WARNING).empty() ||
           !publishing.messages.all(GST_MESSAGE_ERROR).empty();
  }));
  EXPECT_EQ(publishing.stat("published"), 0U);
}

TEST_P(SecureBrokers, APasswordMayBeInAFile) {
  broker_->require("ann", "sec:ret");
  broker_->start();
  const std::string file = folder() + "/password";
  std::ofstream(file) << "sec:ret\n";
  expect_published(broker_->location("ann"), broker_->properties() + "password-file=" + file);
  std::ofstream(file) << "wrong\n";
  expect_refused(broker_->location("ann"), broker_->properties() + "password-file=" + file,
                 "Check user and password");
  expect_refused(broker_->location("ann"), broker_->properties() + "password-file=/nowhere/it",
                 "'/nowhere/it'");
}

TEST_P(SecureBrokers, FilesThatOthersMayReadAreTold) {
  broker_->require("ann", "secret");
  broker_->start();
  const std::string password = folder() + "/password";
  std::ofstream(password) << "secret\n";
  const TlsFiles& files = broker_->client_files();
  const std::string properties = broker_->properties() + "password-file=" + password +
                                 " key-file=" + files.key +
                                 " certificate-file=" + files.certificate;
  for (const std::string& file : {password, files.key}) {
    for (const mode_t mode : {0600, 0640, 0604}) {
      SCOPED_TRACE(file + " " + std::to_string(mode));
      chmod(password.c_str(), 0600);
      chmod(files.key.c_str(), 0600);
      chmod(file.c_str(), mode);
      Publishing publishing(broker_->location("ann"), properties);
      publishing.play();
      const std::vector<Message> warnings = publishing.messages.all(GST_MESSAGE_WARNING);
      ASSERT_EQ(warnings.size(), mode == 0600 ? 0U : 1U);
      if (mode == 0600) continue;
      EXPECT_NE(warnings[0].text.find("chmod 600 '" + file + "'"), std::string::npos)
          << warnings[0].text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Real, SecureBrokers, testing::Values("mqtts", "rediss"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace tandem::test
