// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hone/core/result.h"
#include "hone/server/http/http_message.h"

namespace hone::server {

// Who may do what: tokens with their roles, from a file of lines "ROLE TOKEN".
class TokenBook {
 public:
  TokenBook() = default;

  // Refuses a file that others than its owner may read or write, and one without a token.
  static Result<TokenBook> Load(const std::filesystem::path& path);

  // Makes the file (mode 0600) with a token of each role if it is not there.
  static Result<TokenBook> LoadOrMake(const std::filesystem::path& path);

  static Result<TokenBook> Parse(std::string_view text, const std::string& what);

  // kNobody for a token that is not in the book. Takes as long for a wrong one as for a right one.
  TokenRole RoleOf(std::string_view token) const;

  // The first token of this role, for a client on the same machine.
  std::optional<std::string> TokenOf(TokenRole role) const;

  bool is_empty() const { return tokens_.empty(); }

 private:
  std::vector<std::pair<TokenRole, std::string>> tokens_;
};

// The token in an Authorization header: "Bearer TOKEN", or "Basic …" with the token as password,
// which is what a URL like http://hone:TOKEN@host makes a client send. Empty if there is none.
std::string TokenIn(std::string_view authorization);

// By what a task says whose it is: a digest from which the token does not follow.
std::string SubmitterOf(std::string_view token);

// Compares in a time that depends only on the lengths.
bool IsSameSecret(std::string_view one, std::string_view other);

// 48 hexadecimal digits from the kernel's generator.
Result<std::string> MakeToken();

}  // namespace hone::server
