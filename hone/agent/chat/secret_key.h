// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "hone/core/result.h"

namespace hone::agent {

// The key of an endpoint. It has no text form, so that it gets into no message by accident. A key
// that is empty is none.
class SecretKey {
 public:
  SecretKey() = default;

  // Of a file that nobody but its owner may read. An Error never repeats what is in it.
  static Result<SecretKey> FromFile(const std::filesystem::path& file);

  // Of an environment variable, which no program that we start inherits from then on. One that is
  // not set gives no key.
  static Result<SecretKey> FromVariable(const std::string& name);

  bool is_secret() const { return key_.size() >= 8; }
  bool is_there() const { return !key_.empty(); }
  const std::string& Reveal() const { return key_; }  // Only for the header that carries it.

  // Without the key: for what an endpoint says, which may repeat what it was sent. A key of less
  // than eight characters ("none", "EMPTY") is a word and no secret, and stays.
  std::string Redact(std::string text) const;

 private:
  explicit SecretKey(std::string key) : key_(std::move(key)) {}
  static Result<SecretKey> Make(std::string text, const std::string& what);

  std::string key_;
};

// Takes the key out of a text that comes in pieces, also where it lies across several of them.
class KeyRedactor {
 public:
  explicit KeyRedactor(const SecretKey& key) : key_(&key) {}  // Which outlives this.

  std::string Pass(std::string_view piece);  // What can be shown so far.
  std::string Finish();                      // What was held back.

 private:
  const SecretKey* key_;
  std::string held_;
};

}  // namespace hone::agent
