// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hone/core/result.h"
#include "hone/domains/sysctl/kernel/kernel_files.h"

// Controls of a control group of version 2. Most are files that hold one value. Where a file holds
// several, the path of one goes on below the file:
//
//   …/nginx.service/cpu.weight            the whole file
//   …/nginx.service/io.weight/default     of the line "default 100"
//   …/nginx.service/io.max/vda/rbps       of the line "253:0 rbps=max wbps=max riops=max wiops=max"
namespace hone::sysctl {

// One value of such a file.
struct GroupValue {
  std::string file;
  std::string device;  // "vda"; empty: of no device.
  std::string key;
};
std::optional<GroupValue> GroupValueOf(std::string_view path);

// The value in the file's text. `number` is the device's: "253:0". A device that has no line, or a
// key that is not on it, has no limit: "max". Nothing: there is no such line.
std::optional<std::string> ValueIn(const GroupValue& value, std::string_view number,
                                   std::string_view text);

// What is written to the file to set it: "253:0 rbps=1048576", "default 200".
std::string LineFor(const GroupValue& value, std::string_view number, const std::string& text);

// "cgroup:nginx.service/cpu.weight": of the group of that name, wherever it is.
bool IsGroupName(std::string_view name);

// Its path: "/sys/fs/cgroup/system.slice/nginx.service/cpu.weight". The Error says what to do: no
// such group, several of that name, no control groups of version 2 here.
Result<std::string> PathOfGroupName(KernelFiles& files, const std::string& name);

// Why a group does not have the control, and what to do about it: its controller is not enabled.
std::string WhyNoControl(KernelFiles& files, const std::string& path);

// Whether version 2 has the controller of this control, or pattern of controls, on this machine.
bool HasController(KernelFiles& files, const std::string& path);

// How systemd sets it to stay: "systemctl set-property nginx.service CPUWeight=200"; empty: not
// known.
std::string SystemdCommand(const std::string& path, const std::string& text);

}  // namespace hone::sysctl
