// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/network/namespace_files.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>
#include <vector>

#include "hone/domains/sysctl/kernel/kernel_text.h"
#include "hone/domains/sysctl/kernel/parameter_path.h"
#include "hone/domains/sysctl/kernel/setting.h"

namespace hone::sysctl {
namespace {

constexpr int kMaxDepth = 16;
constexpr std::string_view kCongestionControl = "/proc/sys/net/ipv4/tcp_congestion_control";
constexpr const char* kAllowedControls = "/proc/sys/net/ipv4/tcp_allowed_congestion_control";

struct Entry {
  std::string name;
  bool is_folder = false;
};

std::vector<Entry> EntriesIn(std::string_view lines) {
  std::vector<Entry> entries;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    if (end > 1) entries.push_back({std::string(lines.substr(1, end - 1)), lines.front() == 'd'});
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return entries;
}

bool IsParameter(const std::string& path) {
  return path.starts_with(std::string(kParametersFolder) + "/") &&
         path.find("/..") == std::string::npos;
}

Error NotOfANetwork(const std::string& path) {
  return {Errc::kNotFound,
          fmt::format("{}: not a parameter of a network namespace; only those of net.* are",
                      NameOfPath(path))};
}

// "/proc/sys/net/*/x" in its parts after the first: "proc", "sys", "net", "*", "x".
std::vector<std::string> PartsOf(const std::string& pattern) {
  std::vector<std::string> parts;
  std::size_t at = 1;
  while (at <= pattern.size()) {
    const std::size_t end = std::min(pattern.find('/', at), pattern.size());
    parts.push_back(pattern.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

class NamespaceFiles final : public KernelFiles {
 public:
  explicit NamespaceFiles(NamespaceHolderLink& holder) : holder_(holder) {}

  Result<std::string> Read(const std::string& path) override {
    auto raw = ReadBoth(path);
    if (!raw) return raw;
    return ChosenText(path, *raw);
  }

  Result<std::string> ReadRaw(const std::string& path) override {
    auto raw = ReadBoth(path);
    if (!raw) return raw;
    return CleanText(*raw);
  }

  Result<void> Write(const std::string& path, const std::string& text) override {
    if (const auto one = ParameterPath::Of(path); !one) return one.error();
    const auto before = ReadSide(path, kServerNamespace);  // Not every parameter can be read.
    if (auto written = WriteSide(path, text, kServerNamespace); !written) return written;
    auto written = WriteSide(path, text, kClientNamespace);
    if (written || !before) return written;
    const auto back = WriteSide(path, CleanText(*before), kServerNamespace);
    if (back) return written;
    return Error{Errc::kStale, fmt::format("{}; and the other side, where it was written, could "
                                           "not be put back: {}",
                                           written.error().message, back.error().message)};
  }

  Result<std::vector<std::string>> Match(const std::string& pattern) override {
    std::vector<std::string> found;
    if (!pattern.starts_with('/')) return found;
    if (auto walked = Walk("", PartsOf(pattern), 0, found); !walked) return walked.error();
    std::sort(found.begin(), found.end());
    return found;
  }

  Result<std::vector<std::string>> FilesBelow(const std::string& folder) override {
    const bool is_above = folder == "/proc" || folder == "/proc/sys";
    const std::string start = is_above ? kParametersFolder : folder;
    if (start != kParametersFolder && !IsParameter(start)) return NotOfANetwork(folder);
    std::vector<std::string> files;
    if (auto listed = ListBelow(start, 0, files); !listed) return listed.error();
    std::sort(files.begin(), files.end());
    return files;
  }

  bool IsWritable(const std::string& path) override {
    if (!IsParameter(path)) return false;
    const auto answer = holder_.Ask(NamespaceHolderVerb::kProbe, kServerNamespace, path);
    return answer && answer->reply.number == 0;
  }

  std::string Resolved(const std::string& path) override { return path; }  // No links there.

 private:
  Result<std::string> ReadSide(const std::string& path, int side) {
    if (!IsParameter(path)) return NotOfANetwork(path);
    auto answer = holder_.Ask(NamespaceHolderVerb::kRead, side, path);
    if (!answer) return answer.error();
    const int number = answer->reply.number;
    if (number == 0) return std::move(answer->data);
    return answer->reply.stage == NamespaceHolderStage::kOpen ? OpenError(path, number)
                                                              : ReadError(path, number);
  }

  Result<std::string> ReadBoth(const std::string& path) {
    auto server = ReadSide(path, kServerNamespace);
    if (!server) return server;
    auto client = ReadSide(path, kClientNamespace);
    if (!client) return client;
    if (*server != *client && IsWritable(path)) {
      return Error{Errc::kStale,
                   fmt::format("{}: \"{}\" on the service's side and \"{}\" on the "
                               "client's; somebody else writes to it",
                               NameOfPath(path), CleanText(*server), CleanText(*client))};
    }
    return server;
  }

  Result<void> WriteSide(const std::string& path, const std::string& text, int side) {
    if (!IsParameter(path)) return NotOfANetwork(path);
    const auto answer = holder_.Ask(NamespaceHolderVerb::kWrite, side, path, text + "\n");
    if (!answer) return answer.error();
    const int number = answer->reply.number;
    if (number == 0) return {};
    if (answer->reply.stage == NamespaceHolderStage::kOpen) return OpenError(path, number);
    if (number == EPERM && path == kCongestionControl) return NotAllowedByHost(text, side);
    return WriteError(path, text, number);
  }

  Error NotAllowedByHost(const std::string& text, int side) {
    const auto allowed = ReadSide(kAllowedControls, side);
    return {Errc::kUnsupported,
            fmt::format("net.ipv4.tcp_congestion_control = \"{}\": a private network may use only "
                        "what the host allows ({}); root extends it on the host: sysctl "
                        "net.ipv4.tcp_allowed_congestion_control",
                        text, allowed ? CleanText(*allowed) : "unknown")};
  }

  Result<std::vector<Entry>> EntriesOf(const std::string& folder) {
    const auto answer = holder_.Ask(NamespaceHolderVerb::kList, kServerNamespace, folder);
    if (!answer) return answer.error();
    if (answer->reply.number != 0) return OpenError(folder, answer->reply.number);
    return EntriesIn(answer->data);
  }

  Result<void> ListBelow(const std::string& folder, int depth, std::vector<std::string>& files) {
    const auto entries = EntriesOf(folder);
    if (!entries) return entries.error();
    for (const Entry& entry : *entries) {
      std::string path = fmt::format("{}/{}", folder, entry.name);
      if (!entry.is_folder) {
        files.push_back(std::move(path));
      } else if (depth < kMaxDepth) {
        if (auto listed = ListBelow(path, depth + 1, files); !listed) return listed;
      }
    }
    return {};
  }

  // Matches the parts from the k-th on below `folder`.
  Result<void> Walk(const std::string& folder, const std::vector<std::string>& parts, std::size_t k,
                    std::vector<std::string>& found) {
    const bool is_last = k + 1 == parts.size();
    if (folder.size() < std::string_view(kParametersFolder).size()) {  // Nothing else is there.
      const std::vector<std::string> way = PartsOf(kParametersFolder);
      if (is_last || ::fnmatch(parts[k].c_str(), way[k].c_str(), FNM_PERIOD) != 0) return {};
      return Walk(folder + "/" + way[k], parts, k + 1, found);
    }
    const auto entries = EntriesOf(folder);
    if (!entries) return entries.error();
    for (const Entry& entry : *entries) {
      if (::fnmatch(parts[k].c_str(), entry.name.c_str(), FNM_PERIOD) != 0) continue;
      std::string path = fmt::format("{}/{}", folder, entry.name);
      if (is_last) {
        found.push_back(std::move(path));
      } else if (entry.is_folder) {
        if (auto walked = Walk(path, parts, k + 1, found); !walked) return walked;
      }
    }
    return {};
  }

  NamespaceHolderLink& holder_;
};

}  // namespace

std::unique_ptr<KernelFiles> MakeNamespaceFiles(NamespaceHolderLink& holder) {
  return std::make_unique<NamespaceFiles>(holder);
}

}  // namespace hone::sysctl
