// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone::sysctl {

// A kernel parameter as the kernel sees it: a file below /proc/sys or /sys, and the text that is
// written to it or read from it, without the newline at the end. Beside them stand what network
// devices have no files for ("/ethtool/eth0/ring/rx", ethtool.h) and the files of services:
// "file:/etc/nginx/nginx.conf".
struct Setting {
  std::string path;
  std::string text;

  bool operator==(const Setting&) const = default;
  auto operator<=>(const Setting&) const = default;
};

// A parameter that went from one text to another.
struct Change {
  std::string path;
  std::string before;
  std::string after;

  bool operator==(const Change&) const = default;
};

// What parameters do to each other, by path. The knowledge base says it, safe apply needs it.
struct Couplings {
  // Writing one of the two sets the other to "0", which means "the other one is in force" and
  // cannot be written: vm.dirty_ratio and vm.dirty_bytes.
  struct Twins {
    std::string one;
    std::string other;

    bool operator==(const Twins&) const = default;
  };
  std::vector<Twins> twins;

  // Writing `cause` may change `effect` as well: tcp_congestion_control extends
  // tcp_allowed_congestion_control. `can_undo`: the kernel lets one write the old text back.
  struct Effect {
    std::string cause;
    std::string effect;
    bool can_undo = true;

    bool operator==(const Effect&) const = default;
  };
  std::vector<Effect> effects;

  bool operator==(const Couplings&) const = default;
};

// Of a file that a service reads: "file:/etc/nginx/nginx.conf" and back.
bool IsFilePath(std::string_view path);
std::string PathOfFile(const std::string& file);
std::string FileOfPath(const std::string& path);

// "nginx:worker_connections": a key in such a file. It is its own path.
bool IsServiceKey(std::string_view name);

// "vm.swappiness" for /proc/sys/vm/swappiness; a path below /sys stays as it is.
std::string NameOfPath(const std::string& path);
std::string PathOfName(const std::string& name);

}  // namespace hone::sysctl
