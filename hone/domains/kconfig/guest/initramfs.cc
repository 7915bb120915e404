// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/guest/initramfs.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

namespace hone::kernels {
namespace {

class Archive {
 public:
  void AddFolder(const std::string& path) {
    if (!folders_.insert(path).second) return;
    Add(path, S_IFDIR | 0755, "");
  }

  void AddParents(const std::string& path) {
    for (std::size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1)) {
      AddFolder(path.substr(0, at));
    }
  }

  void Add(std::string_view path, unsigned mode, std::string_view content, unsigned major = 0,
           unsigned minor = 0) {
    const unsigned links = 1;
    const unsigned no_date = 0;
    // Thirteen numbers of eight hexadecimal digits after the magic one.
    text_ += fmt::format("070701{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}", ++inode_, mode, 0, 0,
                         links, no_date, content.size());
    text_ +=
        fmt::format("{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}", 0, 0, major, minor, path.size() + 1, 0);
    text_ += path;
    text_ += '\0';
    Pad();
    text_ += content;
    Pad();
  }

  std::string Finish() && {
    Add("TRAILER!!!", 0, "");
    return std::move(text_);
  }

 private:
  void Pad() { text_.resize((text_.size() + 3) / 4 * 4, '\0'); }

  std::string text_;
  std::set<std::string> folders_;
  std::uint32_t inode_ = 0;
};

}  // namespace

std::string MakeInitramfs(const std::vector<InitramfsFile>& files) {
  constexpr unsigned kConsoleMajor = 5;
  constexpr unsigned kConsoleMinor = 1;
  Archive archive;
  archive.AddFolder("dev");
  archive.Add("dev/console", S_IFCHR | 0600, "", kConsoleMajor, kConsoleMinor);
  for (const InitramfsFile& file : files) {
    archive.AddParents(file.path);
    archive.Add(file.path, S_IFREG | (file.is_program ? 0755U : 0644U), file.content);
  }
  return std::move(archive).Finish();
}

}  // namespace hone::kernels
