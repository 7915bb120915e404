// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/files/snapshot_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "hone/base/build_identity.h"
#include "hone/base/file.h"
#include "hone/kconfig/files/byte_image.h"

namespace hone::kconfig {
namespace {

namespace fs = std::filesystem;

constexpr char kMagic[8] = {'h', 'o', 'n', 'e', 't', 'r', 'e', 'e'};
constexpr std::uint64_t kFormat = 2;
constexpr std::size_t kMaxSnapshots = 16;
constexpr std::uint64_t kLargestSnapshot = 1 << 30;

struct SnapshotHead {
  char magic[8] = {};
  std::uint64_t format = 0;
  char build[64] = {};
  std::uint64_t key_size = 0;
  std::uint64_t key_sum = 0;
  std::uint64_t body_size = 0;
  std::uint64_t body_sum = 0;
};

// As this program writes it; nullopt if it has no identity to tell it from others.
std::optional<SnapshotHead> OwnHead() {
  const std::string build = BuildIdentity();
  SnapshotHead head;
  if (build.empty() || build.size() > sizeof head.build) return std::nullopt;
  std::memcpy(head.magic, kMagic, sizeof head.magic);
  head.format = kFormat;
  std::memcpy(head.build, build.data(), build.size());
  return head;
}

bool IsSameKind(const SnapshotHead& a, const SnapshotHead& b) {
  return std::memcmp(a.magic, b.magic, sizeof a.magic) == 0 && a.format == b.format &&
         std::memcmp(a.build, b.build, sizeof a.build) == 0;
}

// Nobody but us can have put something there.
bool IsOursAlone(const struct stat& folder) {
  return S_ISDIR(folder.st_mode) && folder.st_uid == geteuid() && (folder.st_mode & 077) == 0;
}

Descriptor OpenOwn(const fs::path& path) {
  const Descriptor folder(
      open(path.parent_path().c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat facts {};
  if (!folder.is_open() || fstat(folder.get(), &facts) != 0 || !IsOursAlone(facts)) return {};
  Descriptor file(openat(folder.get(), path.filename().c_str(),
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.is_open() || fstat(file.get(), &facts) != 0) return {};
  if (!S_ISREG(facts.st_mode) || facts.st_uid != geteuid()) return {};
  return file;
}

bool MakeOwnFolder(const fs::path& folder) {
  const fs::path parent = folder.parent_path();
  if (!parent.empty() && !MakeFolder(parent)) return false;
  mkdir(folder.c_str(), 0700);
  struct stat facts {};
  return lstat(folder.c_str(), &facts) == 0 && IsOursAlone(facts);
}

bool ReadExactly(const Descriptor& file, char* room, std::size_t size) {
  while (size > 0) {
    const ssize_t count = read(file.get(), room, size);
    if (count <= 0) return false;
    room += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

void RemoveOldest(const fs::path& folder) {
  std::error_code fault;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (const auto& entry : fs::directory_iterator(folder, fault)) {
    const auto time = entry.last_write_time(fault);
    if (!fault) files.emplace_back(time, entry.path());
  }
  if (files.size() <= kMaxSnapshots) return;
  std::sort(files.begin(), files.end());
  files.resize(files.size() - kMaxSnapshots);
  for (const auto& [time, path] : files) fs::remove(path, fault);
}

}  // namespace

std::optional<SnapshotFile> SnapshotFile::Open(const fs::path& path) {
  const auto own = OwnHead();
  SnapshotFile opened;
  opened.file_ = OpenOwn(path);
  struct stat facts {};
  if (!own || !opened.file_.is_open() || fstat(opened.file_.get(), &facts) != 0) return {};
  SnapshotHead head;
  if (!ReadExactly(opened.file_, reinterpret_cast<char*>(&head), sizeof head)) return {};
  const auto size = static_cast<std::uint64_t>(facts.st_size) - sizeof head;
  const bool fits = size <= kLargestSnapshot && head.key_size % 8 == 0 && head.key_size <= size &&
                    head.body_size == size - head.key_size;
  if (!fits || !IsSameKind(head, *own)) return {};
  opened.room_ = opened.storage_->Reserve(size);
  opened.key_size_ = head.key_size;
  opened.body_size_ = head.body_size;
  opened.body_sum_ = head.body_sum;
  if (!ReadExactly(opened.file_, opened.room_, head.key_size)) return {};
  if (ChecksumOf(opened.key()) != head.key_sum) return {};
  return opened;
}

std::optional<std::string_view> SnapshotFile::ReadBody() {
  char* room = room_ + key_size_;
  if (!ReadExactly(file_, room, body_size_)) return {};
  const std::string_view body(room, body_size_);
  if (ChecksumOf(body) != body_sum_) return {};
  return body;
}

void WriteSnapshot(const fs::path& path, std::string_view key, std::string_view body) {
  auto head = OwnHead();
  if (!head || !MakeOwnFolder(path.parent_path())) return;
  head->key_size = key.size();
  head->key_sum = ChecksumOf(key);
  head->body_size = body.size();
  head->body_sum = ChecksumOf(body);
  std::string text(reinterpret_cast<const char*>(&*head), sizeof *head);
  text.reserve(text.size() + key.size() + body.size());
  text += key;
  text += body;
  if (WriteFileAtomically(path, text)) RemoveOldest(path.parent_path());
}

}  // namespace hone::kconfig
