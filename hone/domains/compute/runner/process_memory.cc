// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/runner/process_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::compute {
namespace {

// A line of /proc/PID/maps: "begin-end perms offset device inode   name".
struct Stretch {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool is_private = false;  // And of no file.
};

std::uint64_t NumberFromHex(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

Stretch StretchOf(std::string_view line) {
  constexpr int kFields = 5;
  std::array<std::string_view, kFields> fields;
  for (std::string_view& field : fields) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    field = line.substr(0, line.find(' '));
    line.remove_prefix(field.size());
  }
  const std::size_t dash = fields[0].find('-');
  if (dash == std::string_view::npos) return {};
  return {NumberFromHex(fields[0].substr(0, dash)), NumberFromHex(fields[0].substr(dash + 1)),
          fields[1].ends_with('p') && fields[4] == "0"};
}

// The lines of a process's map, read piece by piece: how many there are and how long their names is
// what the process chose.
class MapLines {
 public:
  MapLines(int file, const std::stop_token& stop) : file_(file), stop_(stop) {}

  // The beginning of the next line, without most of its name; nullopt at the end, or where there is
  // more than is looked at.
  std::optional<std::string_view> Next() {
    head_.clear();
    while (true) {
      if (piece_.empty() && !ReadPiece()) return std::nullopt;
      const std::size_t length = std::min(piece_.find('\n'), piece_.size());
      head_.append(piece_.substr(0, std::min(length, kMaxHead - head_.size())));
      const bool is_whole = length < piece_.size();
      piece_.remove_prefix(std::min(length + 1, piece_.size()));
      if (is_whole) return head_;
    }
  }

 private:
  static constexpr std::size_t kPiece = 64 << 10;
  static constexpr std::size_t kMaxText = 8 << 20;  // All mappings that a process may have.
  static constexpr std::size_t kMaxHead = 128;

  bool ReadPiece() {
    if (stop_.stop_requested() || read_ >= kMaxText) return false;
    ssize_t got = 0;
    do {
      got = ::pread64(file_, buffer_.data(), buffer_.size(), static_cast<off64_t>(read_));
    } while (got < 0 && errno == EINTR);
    if (got <= 0) return false;
    read_ += static_cast<std::size_t>(got);
    piece_ = {buffer_.data(), static_cast<std::size_t>(got)};
    return true;
  }

  const int file_;
  const std::stop_token& stop_;
  std::vector<char> buffer_ = std::vector<char>(kPiece);
  std::string_view piece_;  // What is left of the buffer.
  std::string head_;
  std::size_t read_ = 0;
};

}  // namespace

// Who made the user namespace that a process lives in may trace it there, whoever he is and however
// the process hides itself (PR_SET_DUMPABLE).
Result<ProcessMemory> ProcessMemory::Of(pid_t process) {
  Descriptor file(::open(fmt::format("/proc/{}/mem", process).c_str(), O_RDONLY | O_CLOEXEC));
  Descriptor maps(::open(fmt::format("/proc/{}/maps", process).c_str(), O_RDONLY | O_CLOEXEC));
  if (file.is_open() && maps.is_open()) return ProcessMemory(std::move(file), std::move(maps));
  return Error{Errc::kUnsupported,
               fmt::format("the memory of a sandboxed process cannot be read ({}): with "
                           "kernel.yama.ptrace_scope=3 nobody may, and sources that decide on "
                           "their outputs (PyTorch) cannot be judged",
                           std::strerror(errno))};
}

bool ProcessMemory::Read(std::uint64_t address, std::span<std::byte> into) const {
  while (!into.empty()) {
    const ssize_t got =
        ::pread64(file_.get(), into.data(), into.size(), static_cast<off64_t>(address));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    address += static_cast<std::uint64_t>(got);
    into = into.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

bool ProcessMemory::IsWithoutAliases(std::uint64_t address, std::uint64_t bytes,
                                     const std::stop_token& stop) const {
  if (bytes == 0) return true;
  MapLines lines(maps_.get(), stop);
  const std::uint64_t end = address + bytes;
  int stretches = 0;
  bool are_private = true;
  for (std::uint64_t at = address; const auto line = lines.Next();) {
    const Stretch stretch = StretchOf(*line);
    if (stretch.end <= at) continue;
    if (stretch.begin > at) return false;  // Nothing is there.
    at = stretch.end;
    ++stretches;
    are_private = are_private && stretch.is_private;
    if (at >= end) return are_private || stretches == 1;
  }
  return false;
}

}  // namespace hone::compute
