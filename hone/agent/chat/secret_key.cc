// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/secret_key.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "hone/base/errno_error.h"
#include "hone/base/file.h"
#include "hone/base/process/withheld_variables.h"
#include "hone/core/trimmed.h"

namespace hone::agent {
namespace {

constexpr std::size_t kMaxKeyBytes = 8192;
constexpr std::string_view kRedacted = "[key]";

// The file may be a link, as secrets in containers are; what it leads to is looked at.
Result<void> CheckKeyFile(const std::filesystem::path& file) {
  struct stat facts {};
  if (::stat(file.c_str(), &facts) != 0) return ErrnoError(file.string(), errno);
  if (!S_ISREG(facts.st_mode)) {
    return Error{Errc::kInvalidArgument, fmt::format("{}: expected a file", file.string())};
  }
  if ((facts.st_mode & 077U) != 0) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: others may read or change it (mode {:o}); chmod 600 {}",
                             file.string(), facts.st_mode & 0777U, file.string())};
  }
  if (facts.st_uid != ::geteuid() && facts.st_uid != 0) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: it belongs to another user", file.string())};
  }
  return {};
}

}  // namespace

Result<SecretKey> SecretKey::Make(std::string text, const std::string& what) {
  text = std::string(Trimmed(text));
  const bool is_clean =
      std::all_of(text.begin(), text.end(), [](char sign) { return sign > ' ' && sign < 0x7f; });
  if (is_clean && text.size() <= kMaxKeyBytes) return SecretKey(std::move(text));
  return Error{Errc::kInvalidArgument,
               fmt::format("{}: expected a key: one line without spaces", what)};
}

Result<SecretKey> SecretKey::FromFile(const std::filesystem::path& file) {
  if (auto safe = CheckKeyFile(file); !safe) return safe.error();
  auto text = ReadFile(file, kMaxKeyBytes);
  if (!text) return text.error();
  auto key = Make(std::move(*text), file.string());
  if (key && !key->is_there()) {
    return Error{Errc::kInvalidArgument, fmt::format("{}: it is empty", file.string())};
  }
  return key;
}

Result<SecretKey> SecretKey::FromVariable(const std::string& name) {
  const char* const value = name.empty() ? nullptr : std::getenv(name.c_str());
  if (value != nullptr) WithholdVariable(name);
  return Make(value == nullptr ? "" : value, "$" + name);
}

std::string SecretKey::Redact(std::string text) const {
  if (!is_secret()) return text;
  for (auto at = text.find(key_); at != text.npos; at = text.find(key_, at + kRedacted.size())) {
    text.replace(at, key_.size(), kRedacted);
  }
  return text;
}

std::string KeyRedactor::Pass(std::string_view piece) {
  held_ = key_->Redact(held_ + std::string(piece));
  const std::string& key = key_->Reveal();
  std::size_t count = !key_->is_secret() ? 0 : std::min(held_.size(), key.size() - 1);
  while (count > 0 && !held_.ends_with(key.substr(0, count))) --count;
  std::string shown = held_.substr(0, held_.size() - count);
  held_.erase(0, shown.size());
  return shown;
}

std::string KeyRedactor::Finish() { return std::exchange(held_, {}); }

}  // namespace hone::agent
