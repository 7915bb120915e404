// SPDX-License-Identifier: Apache-2.0
#include "hone/base/net/tls_relay_for_test.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <fstream>

#include "hone/base/process/subprocess.h"
#include "hone/core/check.h"

namespace hone {
namespace {

constexpr int kRelayTickMs = 20;

Result<void> RunOpenSsl(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "openssl");
  Command command;
  command.arguments = std::move(arguments);
  const auto made = RunProcess(command);
  if (!made) return Error{Errc::kUnsupported, "openssl: " + made.error().message};
  if (made->status != 0) return Error{Errc::kCorrupt, "openssl: " + made->errors};
  return {};
}

sockaddr_in LoopbackAt(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

using Context = std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)>;

class OpenSslRelay final : public TlsRelay {
 public:
  OpenSslRelay(Context context, int target, bool drops_the_end)
      : context_(std::move(context)),
        target_(target),
        drops_the_end_(drops_the_end),
        listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = LoopbackAt(0);
    socklen_t size = sizeof address;
    HONE_CHECK(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size) == 0);
    HONE_CHECK(::listen(listener_.get(), 64) == 0);
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    accepting_ = std::jthread([this](const std::stop_token& stop) { Accept(stop); });
  }

  ~OpenSslRelay() override {
    accepting_.request_stop();
    accepting_.join();
    for (std::jthread& client : clients_) client.request_stop();
  }

  int port() const override { return port_; }
  std::vector<std::string> asked_names() const override {
    const std::lock_guard lock(mutex_);
    return names_;
  }

 private:
  using Session = std::unique_ptr<SSL, void (*)(SSL*)>;

  void Accept(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      pollfd watched{listener_.get(), POLLIN, 0};
      if (::poll(&watched, 1, kRelayTickMs) <= 0) continue;
      const int client = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
      clients_.emplace_back([this, client](const std::stop_token& end) {
        const Descriptor socket(client);
        Serve(end, socket);
      });
    }
  }

  void Serve(const std::stop_token& stop, const Descriptor& client) {
    const Session session(SSL_new(context_.get()), SSL_free);
    SSL_set_fd(session.get(), client.get());
    const timeval limit{.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(client.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (SSL_accept(session.get()) != 1) return;
    {
      const char* const name = SSL_get_servername(session.get(), TLSEXT_NAMETYPE_host_name);
      const std::lock_guard lock(mutex_);
      names_.emplace_back(name == nullptr ? "" : name);
    }
    const Descriptor target(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in address = LoopbackAt(target_);
    if (::connect(target.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      return;
    }
    while (!stop.stop_requested() && Move(session.get(), client.get(), target.get())) {
    }
    if (!drops_the_end_) SSL_shutdown(session.get());
  }

  // One piece, either way. False: one side is through.
  static bool Move(SSL* session, int client, int target) {
    std::array<pollfd, 2> watched{pollfd{client, POLLIN, 0}, pollfd{target, POLLIN, 0}};
    if (SSL_pending(session) == 0 && ::poll(watched.data(), watched.size(), kRelayTickMs) <= 0) {
      return true;
    }
    std::array<char, 8192> bytes;
    if (SSL_pending(session) > 0 || watched[0].revents != 0) {
      const int count = SSL_read(session, bytes.data(), bytes.size());
      if (count <= 0) return SSL_get_error(session, count) == SSL_ERROR_WANT_READ;
      return ::send(target, bytes.data(), static_cast<std::size_t>(count), MSG_NOSIGNAL) == count;
    }
    const auto count = ::recv(target, bytes.data(), bytes.size(), 0);
    return count > 0 && SSL_write(session, bytes.data(), static_cast<int>(count)) > 0;
  }

  Context context_;
  int target_;
  bool drops_the_end_;
  Descriptor listener_;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::string> names_;
  std::vector<std::jthread> clients_;
  std::jthread accepting_;
};

}  // namespace

Result<TestCertificates> TestCertificates::Make(const std::filesystem::path& folder) {
  TestCertificates certificates(folder);
  if (auto made = certificates.MakeAuthority("ca"); !made) return made.error();
  return certificates;
}

Result<void> TestCertificates::MakeAuthority(const std::string& name) const {
  return RunOpenSsl({"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                     "-nodes", "-days", "2", "-subj", "/CN=" + name, "-keyout", File(name + ".key"),
                     "-out", File(name + ".crt")});
}

Result<void> TestCertificates::Sign(const std::string& name, const std::string& names,
                                    bool is_expired, const std::string& authority) const {
  std::ofstream(File(name + ".ext")) << "subjectAltName=" << names;
  auto asked =
      RunOpenSsl({"req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
                  "/CN=" + name, "-keyout", File(name + ".key"), "-out", File(name + ".csr")});
  if (!asked) return asked;
  return RunOpenSsl({"x509", "-req", "-in", File(name + ".csr"), "-CA", File(authority + ".crt"),
                     "-CAkey", File(authority + ".key"), "-CAcreateserial", "-days",
                     is_expired ? "-1" : "2", "-extfile", File(name + ".ext"), "-out",
                     File(name + ".crt")});
}

Result<std::unique_ptr<TlsRelay>> TlsRelay::Start(const std::filesystem::path& certificate,
                                                  const std::filesystem::path& key, int target,
                                                  bool drops_the_end) {
  Context context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (SSL_CTX_use_certificate_file(context.get(), certificate.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_use_PrivateKey_file(context.get(), key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return Error{Errc::kInvalidArgument, fmt::format("{}: no certificate", certificate.string())};
  }
  return std::make_unique<OpenSslRelay>(std::move(context), target, drops_the_end);
}

}  // namespace hone
