// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/build/tree_identity.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "hone/base/descriptor.h"
#include "hone/base/errno_error.h"
#include "hone/base/sha256.h"
#include "hone/domains/kconfig/build/file_digests.h"

namespace hone::kernels {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kReadAtOnce = 1 << 18;
constexpr std::uint64_t kMaxTreeBytes = std::uint64_t{64} << 30;
constexpr unsigned kMaxHashing = 16;

// A file that was changed so shortly before it was read may change again under the same stamp:
// file systems round them, some to two seconds.
constexpr std::chrono::seconds kYoungFor{3};

struct TreeEntry {
  std::string path;  // In the tree; empty for its root.
  struct stat facts {};
  std::string link;       // Of a link: where it points to.
  Sha256Digest digest{};  // Of a file: of its contents.
};

Error ChangedMeanwhile(const fs::path& path) {
  return {Errc::kUnavailable,
          fmt::format("{}: changed while it was looked at; try again when nobody writes there",
                      path.string())};
}

Result<TreeEntry> EntryAt(const fs::path& path, std::string name) {
  TreeEntry entry;
  entry.path = std::move(name);
  if (::lstat(path.c_str(), &entry.facts) != 0) return ErrnoError(path.native(), errno);
  if (S_ISLNK(entry.facts.st_mode)) {
    std::error_code fault;
    entry.link = fs::read_symlink(path, fault).native();
    if (fault) return ChangedMeanwhile(path);
  } else if (!S_ISREG(entry.facts.st_mode) && !S_ISDIR(entry.facts.st_mode)) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: a pipe, a socket or a device; in a source tree are only files, "
                             "folders and links: remove it",
                             path.string())};
  }
  return entry;
}

Result<std::vector<TreeEntry>> ListTree(const fs::path& tree) {
  auto root = EntryAt(tree, "");
  if (!root) return root.error();
  std::vector<TreeEntry> entries = {std::move(*root)};
  const std::size_t before_names = (tree / "").native().size();
  std::uint64_t bytes = 0;
  std::error_code fault;
  for (fs::recursive_directory_iterator at(tree, fault), end; !fault && at != end;
       at.increment(fault)) {
    const fs::path& path = at->path();
    auto entry = EntryAt(path, path.native().substr(before_names));
    if (!entry) return entry.error();
    if (entry->path == kUnseenFolder && S_ISDIR(entry->facts.st_mode)) {
      at.disable_recursion_pending();
      continue;
    }
    bytes += S_ISREG(entry->facts.st_mode) ? static_cast<std::uint64_t>(entry->facts.st_size) : 0;
    entries.push_back(std::move(*entry));
  }
  if (fault) {
    return Error{Errc::kUnavailable, fmt::format("{}: {}", tree.string(), fault.message())};
  }
  if (bytes > kMaxTreeBytes) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: holds more than 64 GiB; not a source tree", tree.string())};
  }
  std::ranges::sort(entries, {}, &TreeEntry::path);
  return entries;
}

// Reads one file after another.
class FileHasher {
 public:
  // kUnavailable if it is not, or does not stay, in the state in which it was found.
  Result<Sha256Digest> DigestOf(const fs::path& path, const FileStamp& found) {
    const Descriptor file(
        ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!file.is_open() && errno != ELOOP && errno != ENOENT && errno != ENXIO) {
      return ErrnoError(path.native(), errno);
    }
    if (!file.is_open() || !IsStill(file, found)) return ChangedMeanwhile(path);
    while (true) {
      const ssize_t got = ::read(file.get(), room_.data(), room_.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return ErrnoError(path.native(), errno);
      if (got == 0) break;
      sum_.Add({room_.data(), static_cast<std::size_t>(got)});
    }
    const Sha256Digest digest = sum_.Take();
    if (!IsStill(file, found)) return ChangedMeanwhile(path);
    return digest;
  }

 private:
  static bool IsStill(const Descriptor& file, const FileStamp& found) {
    struct stat facts {};
    return ::fstat(file.get(), &facts) == 0 && S_ISREG(facts.st_mode) && StampOf(facts) == found;
  }

  Sha256 sum_;
  std::vector<char> room_ = std::vector<char>(kReadAtOnce);
};

Result<void> HashFiles(const fs::path& tree, const std::vector<TreeEntry*>& files) {
  std::atomic<std::size_t> next{0};
  const auto work = [&]() -> Result<void> {
    FileHasher hasher;
    for (std::size_t i = next++; i < files.size(); i = next++) {
      const auto digest = hasher.DigestOf(tree / files[i]->path, StampOf(files[i]->facts));
      if (!digest) {
        next = files.size();
        return digest.error();
      }
      files[i]->digest = *digest;
    }
    return {};
  };
  std::vector<std::future<Result<void>>> others;
  const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 2U, kMaxHashing);
  for (unsigned i = 1; i < threads; ++i) others.push_back(std::async(std::launch::async, work));
  Result<void> done = work();
  for (auto& other : others) {
    if (auto theirs = other.get(); done && !theirs) done = std::move(theirs);
  }
  return done;
}

WallTime ChangeOf(const struct stat& facts) {
  return WallTime{std::chrono::seconds{facts.st_ctim.tv_sec} +
                  std::chrono::microseconds{facts.st_ctim.tv_nsec / 1000}};
}

// Fills in the digests: those that are known, and then those that must be read.
Result<void> DigestFiles(const fs::path& tree, const fs::path& known_file, Clock& clock,
                         std::vector<TreeEntry>& entries) {
  const bool believes = CanKnowByState(tree);
  const FileDigests known = believes ? ReadFileDigests(known_file) : FileDigests();
  const auto device = entries.front().facts.st_dev;
  std::vector<TreeEntry*> unknown;
  for (TreeEntry& entry : entries) {
    if (!S_ISREG(entry.facts.st_mode)) continue;
    const Sha256Digest* digest =
        entry.facts.st_dev == device ? known.Find(StampOf(entry.facts)) : nullptr;
    if (digest == nullptr) {
      unknown.push_back(&entry);
    } else {
      entry.digest = *digest;
    }
  }
  if (unknown.empty()) return {};
  // What is written through memory gets a new time of change only once it was on disk.
  const Descriptor root(::open(tree.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (believes && (!root.is_open() || ::syncfs(root.get()) != 0)) {
    return ErrnoError(tree.native(), errno);
  }
  const WallTime old = clock.Wall() - kYoungFor;
  if (auto hashed = HashFiles(tree, unknown); !hashed) return hashed;
  if (!believes) return {};
  std::vector<KnownDigest> to_keep;
  for (const TreeEntry& entry : entries) {
    const bool is_old =
        S_ISREG(entry.facts.st_mode) && entry.facts.st_dev == device && ChangeOf(entry.facts) < old;
    if (is_old) to_keep.push_back({StampOf(entry.facts), entry.digest});
  }
  WriteFileDigests(known_file, to_keep);
  return {};
}

template <typename Number>
void AddNumber(Sha256& sum, Number number) {
  const auto wide = static_cast<std::uint64_t>(number);
  sum.Add({reinterpret_cast<const char*>(&wide), sizeof wide});
}

std::string ContentsOf(const std::vector<TreeEntry>& entries) {
  Sha256 sum;
  for (const TreeEntry& entry : entries) {
    sum.AddText(entry.path);
    AddNumber(sum, entry.facts.st_mode);
    sum.AddText(entry.link);
    sum.Add({reinterpret_cast<const char*>(entry.digest.data()), entry.digest.size()});
  }
  return HexOf(sum.Take());
}

std::string StampsOf(const std::vector<TreeEntry>& entries) {
  Sha256 sum;
  for (const TreeEntry& entry : entries) {
    sum.AddText(entry.path);
    const FileStamp state = StampOf(entry.facts);
    sum.Add({reinterpret_cast<const char*>(&state), sizeof state});
    for (const auto number : {entry.facts.st_mode, entry.facts.st_uid, entry.facts.st_gid}) {
      AddNumber(sum, number);
    }
  }
  return HexOf(sum.Take());
}

}  // namespace

bool CanKnowByState(const fs::path& folder) {
  constexpr std::array<std::uint32_t, 5> kKinds = {EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC,
                                                   BTRFS_SUPER_MAGIC, F2FS_SUPER_MAGIC,
                                                   OVERLAYFS_SUPER_MAGIC};
  struct statfs facts {};
  return ::statfs(folder.c_str(), &facts) == 0 &&
         std::ranges::find(kKinds, static_cast<std::uint32_t>(facts.f_type)) != kKinds.end();
}

Result<TreeIdentity> IdentifyTree(const fs::path& tree, const fs::path& digests, Clock& clock) {
  auto entries = ListTree(tree);
  if (!entries) return entries.error();
  const fs::path known = digests / (Sha256Of(tree.native()) + ".digests");
  if (auto read = DigestFiles(tree, known, clock, *entries); !read) return read.error();
  return TreeIdentity{ContentsOf(*entries), StampsOf(*entries)};
}

}  // namespace hone::kernels
