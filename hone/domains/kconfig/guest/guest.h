// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/kconfig/guest/accelerator.h"
#include "hone/domains/kconfig/guest/guest_arch.h"

namespace hone::kernels {

// A kernel to boot, once.
struct GuestOrder {
  GuestArch arch;
  std::filesystem::path image;
  std::string initramfs;
  std::filesystem::path disk = {};  // A raw image; what the guest changes in it is forgotten.
  std::string command_line = {};    // Added to what every guest gets.
  // Virtual time is the number of executed instructions, and all randomness comes from the seed:
  // the same order gives the same numbers.
  bool counts_instructions = false;
  Accelerator accelerator = Accelerator::kTcg;  // KVM counts no instructions.
  std::uint64_t seed = 0;
  int memory_mib = 256;
  // A local stream socket that becomes the console, both ways; the report has none of it then. It
  // stays the caller's.
  int console = -1;
  std::chrono::milliseconds limit{60'000};
  std::stop_token stop = {};
};

// How a guest ended. Only the first is a boot that went well.
enum class GuestEnd : std::uint8_t {
  kEnded,   // By itself, with what it had to say.
  kSilent,  // Not a word on the console until the limit: it does not boot, or has no console.
  kPanic,
  kOops,    // A fault inside the kernel.
  kNoInit,  // It came up, and found or could run no first program.
  kHung,    // Words, and then nothing until the limit.
  kMute,    // It ended by itself, and nothing came over the port.
  kStopped,
};
std::string_view NameOf(GuestEnd end);

struct GuestReport {
  GuestEnd end = GuestEnd::kEnded;
  std::string fault = {};    // The line of the console that tells it; empty if none does.
  std::string result = {};   // What came over the port. Whoever reads it does not trust it.
  std::string console = {};  // Its end.
  std::chrono::milliseconds wall{0};
};

// A machine that boots kernels nobody trusts. Safe for concurrent use.
// Implementations must pass guest_contract.h.
class Guest {
 public:
  virtual ~Guest() = default;

  // An Error means that the machine could not be started; whatever the kernel does is in the
  // report.
  virtual Result<GuestReport> Boot(const GuestOrder& order) = 0;
};

// What the console's words and the way of ending mean together.
struct GuestSight {
  std::string console;
  bool has_result = false;
  bool ended_itself = false;  // Before the limit.
};
GuestReport JudgeGuest(const GuestSight& sight);

}  // namespace hone::kernels
