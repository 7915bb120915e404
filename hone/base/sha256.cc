// SPDX-License-Identifier: Apache-2.0
#include "hone/base/sha256.h"

#include <openssl/evp.h>

#include "hone/core/check.h"

namespace hone {
namespace {

// Looked for once: it takes OpenSSL a millisecond. Never freed, as OpenSSL ends before we do.
const EVP_MD* Algorithm() {
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA2-256", nullptr);
  HONE_CHECK(algorithm != nullptr);
  return algorithm;
}

}  // namespace

struct Sha256::State {
  State() { Begin(); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { EVP_MD_CTX_free(context); }

  void Begin() const {
    HONE_CHECK(context != nullptr && EVP_DigestInit_ex2(context, Algorithm(), nullptr) == 1);
  }

  EVP_MD_CTX* const context = EVP_MD_CTX_new();
};

void Sha256::Free::operator()(State* state) const { delete state; }

Sha256::Sha256() : state_(new State) {}

void Sha256::Add(std::string_view part) {
  HONE_CHECK(EVP_DigestUpdate(state_->context, part.data(), part.size()) == 1);
}

void Sha256::AddText(std::string_view text) {
  Add(std::to_string(text.size()));
  Add(" ");
  Add(text);
}

Sha256Digest Sha256::Take() {
  Sha256Digest digest{};
  HONE_CHECK(EVP_DigestFinal_ex(state_->context, digest.data(), nullptr) == 1);
  state_->Begin();
  return digest;
}

std::string HexOf(const Sha256Digest& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string Sha256Of(std::string_view text) {
  Sha256 sum;
  sum.Add(text);
  return HexOf(sum.Take());
}

std::string Sha256OfTexts(std::initializer_list<std::string_view> texts) {
  Sha256 sum;
  for (const std::string_view text : texts) sum.AddText(text);
  return HexOf(sum.Take());
}

}  // namespace hone
