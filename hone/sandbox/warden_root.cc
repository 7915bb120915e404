// SPDX-License-Identifier: Apache-2.0
// The file system that a program in a sandbox sees.
#include <fcntl.h>
#include <grp.h>
#include <linux/mount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "hone/sandbox/warden_part.h"

namespace hone::warden {
namespace {

constexpr const char* kNewRoot = "/tmp";  // Hidden by the new root, in our copy of the mounts only.
constexpr mode_t kFolderMode = 0755;

// A copy of a piece of the machine's tree that is not yet anywhere.
struct Piece {
  int tree = -1;
  const char* inside = nullptr;
};

Piece pieces[kMaxViews];
int cpuinfo = -1;
int meminfo = -1;

int CopyTree(const char* host) {
  return static_cast<int>(
      syscall(SYS_open_tree, AT_FDCWD, host, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE));
}

bool SetFlags(int tree, const char* path, std::uint64_t flags, unsigned at) {
  mount_attr attributes{};
  attributes.attr_set = flags;
  return syscall(SYS_mount_setattr, tree, path, at, &attributes, sizeof attributes) == 0;
}

bool IsFolder(int tree) {
  struct stat status {};
  return fstat(tree, &status) == 0 && S_ISDIR(status.st_mode);
}

bool IsDevice(int tree) {
  struct stat status {};
  return fstat(tree, &status) == 0 && S_ISCHR(status.st_mode);
}

// `path` is absolute and meant from the new root, which is the folder that we are in.
const char* FromHere(const char* path) { return path[1] == '\0' ? "." : path + 1; }

bool MakeParents(const char* path) {
  char part[4096];
  if (strlen(path) >= sizeof part) {
    errno = ENAMETOOLONG;
    return false;
  }
  strcpy(part, path);
  for (char* slash = strchr(part + 1, '/'); slash != nullptr; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    if (mkdir(FromHere(part), kFolderMode) != 0 && errno != EEXIST) return false;
    *slash = '/';
  }
  return true;
}

bool MakeFolder(const char* path) {
  return MakeParents(path) && (mkdir(FromHere(path), kFolderMode) == 0 || errno == EEXIST);
}

bool MakeFile(const char* path) {
  if (!MakeParents(path)) return false;
  const int file = open(FromHere(path), O_CREAT | O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (file < 0) return false;
  close(file);
  return true;
}

bool Attach(int tree, const char* inside) {
  const bool has_place = IsFolder(tree) ? MakeFolder(inside) : MakeFile(inside);
  return has_place && syscall(SYS_move_mount, tree, "", AT_FDCWD, FromHere(inside),
                              MOVE_MOUNT_F_EMPTY_PATH) == 0;
}

void WriteOwnMap(const char* file, const char* text) {
  const int map = open(file, O_WRONLY | O_CLOEXEC);
  Need(map >= 0, WardenStage::kUser);
  const auto size = static_cast<ssize_t>(strlen(text));
  Need(write(map, text, static_cast<size_t>(size)) == size, WardenStage::kUser);
  close(map);
}

void MapOwnUser(const WardenRecipe& head) {
  char text[64];
  WriteOwnMap("/proc/self/setgroups", "deny");
  snprintf(text, sizeof text, "%u %u 1", kInsideUser, head.outer_user);
  WriteOwnMap("/proc/self/uid_map", text);
  snprintf(text, sizeof text, "%u %u 1", kInsideGroup, head.outer_group);
  WriteOwnMap("/proc/self/gid_map", text);
}

void BecomeUser(const WardenRecipe& head) {
  if (head.maps_itself != 0) {
    MapOwnUser(head);
  } else {
    Need(setgroups(0, nullptr) == 0, WardenStage::kUser);
  }
  Need(setresgid(kInsideGroup, kInsideGroup, kInsideGroup) == 0, WardenStage::kUser);
  Need(setresuid(kInsideUser, kInsideUser, kInsideUser) == 0, WardenStage::kUser);
}

// /proc holds a short list of files instead of all that the kernel has to tell, and the processes
// of the sandbox under a name of their own.
void MountProc(const WardenRecipe& head) {
  Need(MakeFolder("/proc/pids"), WardenStage::kProc);
  const unsigned long access = head.writes_proc != 0 ? 0 : MS_RDONLY;
  const unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC | access;
  if (mount("proc", "proc/pids", "proc", flags, "subset=pid") != 0) {
    Need((head.optional_parts & kPartProc) != 0, WardenStage::kProc);
    lacking_parts |= kPartProc;
    return;
  }
  Need(symlink("pids/self", "proc/self") == 0, WardenStage::kProc);
  Need(symlink("pids/thread-self", "proc/thread-self") == 0, WardenStage::kProc);
  Need(cpuinfo < 0 || Attach(cpuinfo, "/proc/cpuinfo"), WardenStage::kProc);
  Need(meminfo < 0 || Attach(meminfo, "/proc/meminfo"), WardenStage::kProc);
}

void WriteFileInto(const char* path, const char* bytes, size_t size) {
  Need(MakeParents(path), WardenStage::kScratch);
  const int file = open(FromHere(path), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0755);
  Need(file >= 0, WardenStage::kScratch);
  while (size > 0) {
    const ssize_t written = write(file, bytes, size);
    Need(written > 0, WardenStage::kScratch);
    bytes += written;
    size -= static_cast<size_t>(written);
  }
  close(file);
}

void WriteFiles(Reader& rest, unsigned count, const char* folder) {
  char path[4096];
  for (unsigned i = 0; i < count; ++i) {
    snprintf(path, sizeof path, "%s%s", folder, rest.Text());
    const size_t size = strtoull(rest.Text(), nullptr, 10);
    WriteFileInto(path, rest.Bytes(size), size);
  }
}

void MountScratch(const WardenRecipe& head) {
  char options[128];
  constexpr long long kBytesAnInode = 4096;
  snprintf(options, sizeof options, "mode=0700,size=%lld,nr_inodes=%lld",
           static_cast<long long>(head.scratch_bytes),
           static_cast<long long>(head.scratch_bytes) / kBytesAnInode + 16);
  Need(MakeFolder("/scratch"), WardenStage::kScratch);
  Need(mount("scratch", "scratch", "tmpfs", MS_NOSUID | MS_NODEV, options) == 0,
       WardenStage::kScratch);
}

void LeaveOldRoot() {
  Need(syscall(SYS_pivot_root, ".", ".") == 0, WardenStage::kRoot);
  Need(umount2(".", MNT_DETACH) == 0, WardenStage::kRoot);
  Need(chdir("/") == 0, WardenStage::kRoot);
  const std::uint64_t flags =
      MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;
  Need(SetFlags(AT_FDCWD, "/", flags, 0), WardenStage::kRoot);
}

int CopyOfProcFile(const char* host) {
  const int tree = CopyTree(host);
  if (tree >= 0) {
    SetFlags(tree, "", MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, AT_EMPTY_PATH);
  }
  return tree;
}

}  // namespace

void CopyViews(Recipe& recipe) {
  Need(recipe.head.views <= kMaxViews, WardenStage::kView);
  for (unsigned i = 0; i < recipe.head.views; ++i) {
    const char access = recipe.rest.Text()[0];
    const bool is_writable = access == 'w';
    const char* host = recipe.rest.Text();
    const char* inside = recipe.rest.Text();  // It sets errno, and CopyTree's is to be told.
    pieces[i] = {access == 't' ? atoi(host) : CopyTree(host), inside};
    if (is_writable) recipe.writable[recipe.writable_count++] = pieces[i].inside;
    const int number = static_cast<int>(i);
    Need(pieces[i].tree >= 0, WardenStage::kView, number);
    std::uint64_t flags = MOUNT_ATTR_NOSUID;
    if (!is_writable) flags |= MOUNT_ATTR_RDONLY;
    if (!IsDevice(pieces[i].tree)) flags |= MOUNT_ATTR_NODEV;
    Need(SetFlags(pieces[i].tree, "", flags, AT_EMPTY_PATH | AT_RECURSIVE), WardenStage::kView,
         number);
  }
  cpuinfo = CopyOfProcFile("/proc/cpuinfo");
  meminfo = CopyOfProcFile("/proc/meminfo");
}

void BuildRoot(Recipe& recipe) {
  const WardenRecipe& head = recipe.head;
  BecomeUser(head);

  umask(022);
  Need(mount("root", kNewRoot, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m,nr_inodes=4096") ==
           0,
       WardenStage::kRoot);
  Need(chdir(kNewRoot) == 0, WardenStage::kRoot);
  MountScratch(head);
  for (unsigned i = 0; i < head.views; ++i) {
    Need(Attach(pieces[i].tree, pieces[i].inside), WardenStage::kView, static_cast<int>(i));
    close(pieces[i].tree);
  }
  MountProc(head);
  for (unsigned i = 0; i < head.links; ++i) {
    const char* path = recipe.rest.Text();
    const char* target = recipe.rest.Text();
    Need(MakeParents(path), WardenStage::kRoot);
    Need(symlink(target, FromHere(path)) == 0, WardenStage::kRoot);
  }
  WriteFiles(recipe.rest, head.root_files, "");
  WriteFiles(recipe.rest, head.files, "/scratch/");
  LeaveOldRoot();
  Need(chdir("/scratch") == 0, WardenStage::kScratch);
}

}  // namespace hone::warden
