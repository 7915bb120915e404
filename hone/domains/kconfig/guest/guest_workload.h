// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "hone/core/metric.h"
#include "hone/core/result.h"

namespace hone::kernels {

// A command in a guest.
struct GuestStep {
  enum class Kind {
    kCall,     // Run to its end; it must succeed.
    kStart,    // A service, left running.
    kListen,   // Wait until somebody listens at the port.
    kUntil,    // Tried again until it succeeds.
    kMeasure,  // Run to its end; what it prints is what is measured.
  };
  Kind kind = Kind::kCall;
  std::vector<std::string> arguments = {};
  std::map<std::string, std::string> environment = {};
  std::string folder = {};  // Where it runs; / if empty.
  int port = 0;             // Of kListen.
};

// What a person measures in a guest in place of the small workloads that are there: files,
// commands one after another, and how the last one's output is read.
struct GuestWorkload {
  std::string name;
  std::string text = {};  // All that it was made of, to be read again; empty: its name says it.
  std::vector<GuestStep> steps;
  std::vector<std::string> programs = {};  // Of this machine, taken along with what they load.
  std::vector<std::string> files = {};     // Files and folders of this machine, taken along.
  std::filesystem::path initramfs = {};    // Unpacked before these.
  std::filesystem::path disk = {};         // An image; then it is the guest's file system.
  std::vector<std::string> needs = {};     // Wishes for its kernel: "INET=y".
  int memory_mib = 0;                      // 0: as the domain has it.
  std::vector<MetricFacts> metrics = {};
  std::function<Result<std::map<std::string, double>>(const std::string& output)> read = {};
};

// Folder of a guest that is there for the workload, empty.
inline constexpr char kGuestFolder[] = "/work";

// The steps as lines of a task for the guest's program.
std::string TaskOf(const GuestWorkload& workload);

}  // namespace hone::kernels
