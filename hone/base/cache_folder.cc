// SPDX-License-Identifier: Apache-2.0
#include "hone/base/cache_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

namespace hone {
namespace {

const char* Variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

}  // namespace

std::filesystem::path CacheFolder() {
  if (const char* own = Variable("HONE_CACHE")) return own;
  if (const char* cache = Variable("XDG_CACHE_HOME")) return std::filesystem::path(cache) / "hone";
  if (const char* home = Variable("HOME")) return std::filesystem::path(home) / ".cache" / "hone";
  return fmt::format("/tmp/hone-cache-{}", ::getuid());
}

}  // namespace hone
