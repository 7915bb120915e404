// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/build/file_digests.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "hone/base/descriptor.h"
#include "hone/base/errno_error.h"
#include "hone/base/file.h"
#include "hone/base/not_regular.h"
#include "hone/base/owner_only.h"

namespace hone::kernels {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDigestsMagic = "hone files 1\n\0\0\0";
constexpr std::size_t kMaxDigestsFile = 1 << 30;
constexpr std::size_t kMaxDigestsFiles = 16;

// They are written as they lie in memory.
static_assert(std::is_trivially_copyable_v<KnownDigest>);
static_assert(sizeof(KnownDigest) == 7 * 8 + 32);

bool IsForUsAlone(int file, mode_t kind) {
  struct stat facts {};
  return ::fstat(file, &facts) == 0 && (facts.st_mode & S_IFMT) == kind &&
         facts.st_uid == ::geteuid() && (facts.st_mode & 077) == 0;
}

Descriptor OpenForUsAlone(const fs::path& path) {
  const Descriptor folder(
      ::open(path.parent_path().c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.is_open() || !IsForUsAlone(folder.get(), S_IFDIR)) return {};
  Descriptor file(::openat(folder.get(), path.filename().c_str(),
                           O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.is_open() || !IsForUsAlone(file.get(), S_IFREG)) return {};
  return file;
}

std::optional<std::string> ReadWhole(const Descriptor& file) {
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return std::nullopt;
  const auto size = static_cast<std::size_t>(facts.st_size);
  if (size > kMaxDigestsFile) return std::nullopt;
  std::string text(size, '\0');
  for (std::size_t got = 0; got < size;) {
    const ssize_t count = ::read(file.get(), text.data() + got, size - got);
    if (count <= 0) return std::nullopt;
    got += static_cast<std::size_t>(count);
  }
  return text;
}

Sha256Digest SumOf(std::string_view body) {
  Sha256 sum;
  sum.Add(kDigestsMagic);
  sum.Add(body);
  return sum.Take();
}

std::string_view BytesOf(const Sha256Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

void RemoveOldest(const fs::path& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator(folder, fault)) {
    files.emplace_back(entry.last_write_time(fault), entry.path());
  }
  std::sort(files.begin(), files.end());
  for (std::size_t i = 0; i + kMaxDigestsFiles < files.size(); ++i) {
    fs::remove(files[i].second, fault);
  }
}

}  // namespace

FileDigests::FileDigests(std::vector<KnownDigest> known) : known_(std::move(known)) {
  std::ranges::sort(known_, {}, &KnownDigest::stamp);
}

const Sha256Digest* FileDigests::Find(const FileStamp& stamp) const {
  const auto found = std::ranges::lower_bound(known_, stamp, {}, &KnownDigest::stamp);
  return found == known_.end() || found->stamp != stamp ? nullptr : &found->digest;
}

Result<std::string> DigestOfFile(const fs::path& file) {
  constexpr std::size_t kChunk = 1 << 20;
  const Descriptor open(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat facts {};
  if (!open.is_open() || ::fstat(open.get(), &facts) != 0) return ErrnoError(file.native(), errno);
  if (!S_ISREG(facts.st_mode)) return NotRegular(file, facts.st_mode);
  Sha256 sum;
  std::string chunk(kChunk, '\0');
  for (ssize_t got = 1; got > 0;) {
    got = ::read(open.get(), chunk.data(), chunk.size());
    if (got < 0 && errno != EINTR) return ErrnoError(file.native(), errno);
    if (got > 0) sum.Add(std::string_view(chunk).substr(0, static_cast<std::size_t>(got)));
    if (got < 0) got = 1;  // A signal came: go on.
  }
  return HexOf(sum.Take());
}

FileDigests ReadFileDigests(const fs::path& file) {
  const Descriptor opened = OpenForUsAlone(file);
  const auto text = opened.is_open() ? ReadWhole(opened) : std::nullopt;
  constexpr std::size_t kAround = kDigestsMagic.size() + sizeof(Sha256Digest);
  if (!text || !text->starts_with(kDigestsMagic) || text->size() < kAround) return FileDigests();
  const std::string_view body(text->data() + kDigestsMagic.size(), text->size() - kAround);
  if (!text->ends_with(BytesOf(SumOf(body))) || body.size() % sizeof(KnownDigest) != 0) {
    return FileDigests();
  }
  std::vector<KnownDigest> known(body.size() / sizeof(KnownDigest));
  if (!known.empty()) std::memcpy(known.data(), body.data(), body.size());
  return FileDigests(std::move(known));
}

void WriteFileDigests(const fs::path& file, const std::vector<KnownDigest>& known) {
  if (!MakePrivateFolder(file.parent_path())) return;
  const std::string_view body(reinterpret_cast<const char*>(known.data()),
                              known.size() * sizeof(KnownDigest));
  const Sha256Digest sum = SumOf(body);
  std::string text(kDigestsMagic);
  text.reserve(text.size() + body.size() + sum.size());
  text += body;
  text += BytesOf(sum);
  std::error_code fault;
  fs::remove(file, fault);  // Its mode would go over to the new one.
  if (WriteFileAtomically(file, text)) KeepForOwner(file);
  RemoveOldest(file.parent_path());
}

}  // namespace hone::kernels
