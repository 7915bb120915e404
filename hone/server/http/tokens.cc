// SPDX-License-Identifier: Apache-2.0
#include "hone/server/http/tokens.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "hone/base/descriptor.h"
#include "hone/base/errno_error.h"
#include "hone/base/file.h"
#include "hone/base/sha256.h"
#include "hone/core/base64.h"

namespace hone::server {
namespace {

constexpr std::size_t kMinToken = 16;
constexpr std::size_t kMaxFile = 1 << 20;
constexpr std::size_t kSubmitterDigits = 32;
constexpr std::array<TokenRole, 3> kRoles{TokenRole::kSubmit, TokenRole::kWork, TokenRole::kAdmin};

std::optional<TokenRole> TokenRoleNamed(std::string_view name) {
  const auto* found = std::find_if(kRoles.begin(), kRoles.end(),
                                   [&](TokenRole role) { return NameOf(role) == name; });
  if (found == kRoles.end()) return std::nullopt;
  return *found;
}

bool HasScheme(std::string_view text, std::string_view scheme) {
  return text.size() > scheme.size() && text[scheme.size()] == ' ' &&
         std::equal(scheme.begin(), scheme.end(), text.begin(),
                    [](char a, char b) { return a == (b | 0x20); });
}

Result<void> CheckIsPrivate(const std::filesystem::path& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return ErrnoError(path.string(), errno);
  const bool is_ours = facts.st_uid == ::geteuid() || facts.st_uid == 0;
  if (!is_ours) {
    return Error{
        Errc::kInvalidArgument,
        fmt::format("{}: it belongs to another user; tokens must be your own", path.string())};
  }
  if ((facts.st_mode & 077U) != 0) {
    return Error{
        Errc::kInvalidArgument,
        fmt::format("{}: its mode is {:04o}, so others could read the tokens; chmod 600 it",
                    path.string(), facts.st_mode & 07777U)};
  }
  return {};
}

Result<void> WriteNew(const std::filesystem::path& path) {
  std::string text =
      "# Tokens of `hone serve`: a role (submit, work or admin) and a token a line. Keep it "
      "private.\n";
  for (const TokenRole role : kRoles) {
    const auto token = MakeToken();
    if (!token) return token.error();
    text += fmt::format("{} {}\n", NameOf(role), *token);
  }
  if (auto made = MakeFolder(path.parent_path()); !made) return made;
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.is_open()) return ErrnoError(path.string(), errno);
  const auto written = ::write(file.get(), text.data(), text.size());
  if (written != static_cast<ssize_t>(text.size()) || ::fsync(file.get()) != 0) {
    const int cause = errno;
    ::unlink(path.c_str());
    return ErrnoError(path.string(), cause);
  }
  return {};
}

}  // namespace

Result<TokenBook> TokenBook::Parse(std::string_view text, const std::string& what) {
  TokenBook book;
  for (int number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto words = SplitWords(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.empty() || words.front().starts_with('#')) continue;
    const auto role = TokenRoleNamed(words.front());
    if (!role || words.size() != 2) {
      return Error{
          Errc::kInvalidArgument,
          fmt::format("{}: line {}: expected `ROLE TOKEN` with the role submit, work or admin",
                      what, number)};
    }
    if (words[1].size() < kMinToken) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("{}: line {}: the token has {} characters, the least is {}", what,
                               number, words[1].size(), kMinToken)};
    }
    book.tokens_.emplace_back(*role, words[1]);
  }
  if (book.tokens_.empty()) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: there is no token in it; remove it to have one made", what)};
  }
  return book;
}

Result<TokenBook> TokenBook::Load(const std::filesystem::path& path) {
  if (auto checked = CheckIsPrivate(path); !checked) return checked.error();
  const auto text = ReadFile(path, kMaxFile);
  if (!text) return text.error();
  return Parse(*text, path.string());
}

Result<TokenBook> TokenBook::LoadOrMake(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    if (auto made = WriteNew(path); !made) return made.error();
  }
  return Load(path);
}

TokenRole TokenBook::RoleOf(std::string_view token) const {
  TokenRole role = TokenRole::kNobody;
  for (const auto& [known_role, known] : tokens_) {
    if (IsSameSecret(known, token)) role = std::max(role, known_role);
  }
  return role;
}

std::optional<std::string> TokenBook::TokenOf(TokenRole role) const {
  const auto found = std::find_if(tokens_.begin(), tokens_.end(),
                                  [&](const auto& token) { return token.first == role; });
  if (found == tokens_.end()) return std::nullopt;
  return found->second;
}

std::string TokenIn(std::string_view authorization) {
  if (HasScheme(authorization, "bearer")) return std::string(authorization.substr(7));
  if (!HasScheme(authorization, "basic")) return "";
  const std::string pair = Base64Decode(authorization.substr(6));
  const auto colon = pair.find(':');
  return colon == pair.npos ? "" : pair.substr(colon + 1);
}

std::string SubmitterOf(std::string_view token) {
  // With a text of its own before it, so that it is the digest of a token for nothing else.
  return Sha256Of(fmt::format("hone task submitter\n{}", token)).substr(0, kSubmitterDigits);
}

bool IsSameSecret(std::string_view one, std::string_view other) {
  unsigned difference = one.size() == other.size() ? 0U : 1U;
  for (std::size_t k = 0; k < other.size(); ++k) {
    const char mine = one.empty() ? '\0' : one[k % one.size()];
    difference |= static_cast<unsigned char>(mine) ^ static_cast<unsigned char>(other[k]);
  }
  return difference == 0;
}

Result<std::string> MakeToken() {
  std::array<unsigned char, 24> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return ErrnoError("getrandom", errno);
  }
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

}  // namespace hone::server
