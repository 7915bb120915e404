// SPDX-License-Identifier: Apache-2.0
#include "hone/base/net/tls_session.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace hone {
namespace {

struct FreeContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
struct FreeSession {
  void operator()(SSL* session) const { SSL_free(session); }
};
using Context = std::unique_ptr<SSL_CTX, FreeContext>;
using Session = std::unique_ptr<SSL, FreeSession>;

// What OpenSSL last complained about in this thread; its queue of complaints is empty afterwards.
unsigned long LastComplaint() {
  const unsigned long complaint = ERR_peek_last_error();
  ERR_clear_error();
  return complaint;
}

std::string TextOfComplaint(unsigned long complaint) {
  const char* reason = complaint == 0 ? nullptr : ERR_reason_error_string(complaint);
  return reason == nullptr ? "no reason given" : reason;
}

Error BadFile(const std::filesystem::path& file, std::string_view should_be) {
  return Error{Errc::kInvalidArgument, fmt::format("{}: it cannot be used as {}: {}", file.string(),
                                                   should_be, TextOfComplaint(LastComplaint()))};
}

Result<void> UseFiles(SSL_CTX* context, const TlsSettings& tls_settings) {
  if (!tls_settings.certificate_file.empty()) {
    if (SSL_CTX_use_certificate_chain_file(context, tls_settings.certificate_file.c_str()) != 1) {
      return BadFile(tls_settings.certificate_file, "our certificate (PEM)");
    }
    const auto& key =
        tls_settings.key_file.empty() ? tls_settings.certificate_file : tls_settings.key_file;
    if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1) {
      return BadFile(key, "the key of our certificate (PEM)");
    }
  }
  if (!tls_settings.verifies_server) return {};
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  if (tls_settings.ca_file.empty()) {
    SSL_CTX_set_default_verify_paths(context);
  } else if (SSL_CTX_load_verify_file(context, tls_settings.ca_file.c_str()) != 1) {
    return BadFile(tls_settings.ca_file, "a list of authorities (PEM)");
  }
  return {};
}

bool IsIpAddress(const std::string& host) {
  in6_addr unused{};
  return ::inet_pton(AF_INET, host.c_str(), &unused) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), &unused) == 1;
}

void ExpectHost(SSL* session, const std::string& host) {
  if (IsIpAddress(host)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host.c_str());
  } else {
    SSL_set_tlsext_host_name(session, host.c_str());
    SSL_set1_host(session, host.c_str());
  }
}

class OpenSslSession final : public TlsSession {
 public:
  OpenSslSession(Context context, Session session, std::string host)
      : context_(std::move(context)), session_(std::move(session)), host_(std::move(host)) {
    SSL_set_bio(session_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_connect_state(session_.get());
  }

  void Feed(std::string_view received) override {
    BIO_write(SSL_get_rbio(session_.get()), received.data(), Length(received.size()));
  }

  std::string Drain() override {
    BIO* out = SSL_get_wbio(session_.get());
    std::string bytes(BIO_ctrl_pending(out), '\0');
    if (!bytes.empty()) BIO_read(out, bytes.data(), Length(bytes.size()));
    return bytes;
  }

  Result<bool> Shake() override {
    const int done = SSL_do_handshake(session_.get());
    if (done == 1) return true;
    if (SSL_get_error(session_.get(), done) == SSL_ERROR_WANT_READ) return false;
    return ShakeFault();
  }

  Result<void> Encrypt(std::string_view plain) override {
    std::size_t written = 0;
    if (plain.empty() || SSL_write_ex(session_.get(), plain.data(), plain.size(), &written) == 1) {
      return {};  // A memory BIO takes everything at once.
    }
    return Error{Errc::kUnavailable, "TLS: " + TextOfComplaint(LastComplaint())};
  }

  Result<std::size_t> Decrypt(std::span<char> plain) override {
    std::size_t count = 0;
    const int read = SSL_read_ex(session_.get(), plain.data(), plain.size(), &count);
    if (read == 1) return count;
    switch (SSL_get_error(session_.get(), read)) {
      case SSL_ERROR_WANT_READ:
        return std::size_t{0};
      case SSL_ERROR_ZERO_RETURN:
        is_ended_ = true;
        return Error{Errc::kUnavailable, "the other side closed the connection"};
      default:
        return ReadFault();
    }
  }

  bool is_ended() const override { return is_ended_; }

 private:
  static int Length(std::size_t size) {
    return static_cast<int>(std::min<std::size_t>(size, std::numeric_limits<int>::max()));
  }

  Error ShakeFault() const {
    const unsigned long complaint = LastComplaint();
    const long verdict = SSL_get_verify_result(session_.get());
    if (verdict != X509_V_OK) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("the certificate of {} is not trusted: {}; name the authority that "
                               "signed it (CA file)",
                               host_, X509_verify_cert_error_string(verdict))};
    }
    if (ERR_GET_REASON(complaint) == SSL_R_WRONG_VERSION_NUMBER) {
      return Error{Errc::kInvalidArgument, "it does not speak TLS on this port"};
    }
    return Error{Errc::kUnavailable, "the TLS handshake failed: " + TextOfComplaint(complaint)};
  }

  // With TLS 1.3 a server refuses a client's certificate only after the client's handshake.
  static Error ReadFault() {
    const unsigned long complaint = LastComplaint();
    const int reason = ERR_GET_REASON(complaint);
    if (reason == SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED ||
        reason == SSL_R_TLSV1_ALERT_UNKNOWN_CA) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("it wants a certificate of ours that it trusts: {}",
                               TextOfComplaint(complaint))};
    }
    return Error{Errc::kUnavailable, "TLS: " + TextOfComplaint(complaint)};
  }

  Context context_;
  Session session_;
  std::string host_;
  bool is_ended_ = false;
};

}  // namespace

Result<std::unique_ptr<TlsSession>> TlsSession::Make(const TlsSettings& tls_settings,
                                                     const std::string& host) {
  ERR_clear_error();
  Context context(SSL_CTX_new(TLS_client_method()));
  if (!context) return Error{Errc::kUnsupported, "TLS: " + TextOfComplaint(LastComplaint())};
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  if (auto used = UseFiles(context.get(), tls_settings); !used) return used.error();
  Session session(SSL_new(context.get()));
  if (!session) return Error{Errc::kUnsupported, "TLS: " + TextOfComplaint(LastComplaint())};
  ExpectHost(session.get(), host);
  return std::make_unique<OpenSslSession>(std::move(context), std::move(session), host);
}

}  // namespace hone
