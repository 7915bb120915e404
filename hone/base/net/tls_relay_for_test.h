// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "hone/base/descriptor.h"
#include "hone/core/result.h"

// For tests of what is spoken under TLS.
namespace hone {

// A certificate authority and servers' certificates in a folder, made by the openssl program.
class TestCertificates {
 public:
  // kUnsupported if there is no such program.
  static Result<TestCertificates> Make(const std::filesystem::path& folder);

  // Signed by "ca" unless said otherwise. `names` as "DNS:localhost,IP:127.0.0.1".
  Result<void> Sign(const std::string& name, const std::string& names, bool is_expired = false,
                    const std::string& authority = "ca") const;
  Result<void> MakeAuthority(const std::string& name) const;

  std::filesystem::path File(const std::string& name) const { return folder_ / name; }

 private:
  explicit TestCertificates(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path folder_;
};

// Listens on a port of 127.0.0.1, speaks TLS there as a server, and passes what comes on to another
// port of this machine in the clear, and back.
class TlsRelay {
 public:
  // `drops_the_end`: closes without the words by which TLS ends a connection.
  static Result<std::unique_ptr<TlsRelay>> Start(const std::filesystem::path& certificate,
                                                 const std::filesystem::path& key, int target,
                                                 bool drops_the_end = false);
  virtual ~TlsRelay() = default;

  virtual int port() const = 0;
  virtual std::vector<std::string> asked_names() const = 0;  // By SNI, in order; "" for none.
};

}  // namespace hone
