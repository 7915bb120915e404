// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/guest/guest.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace hone::kernels {
namespace {

constexpr std::size_t kShownConsole = 16 << 10;

struct Sign {
  std::string_view words;
  GuestEnd end;
};

// What kernels print, the more telling first: a panic for want of an init is one of init.
constexpr auto kSigns = std::to_array<Sign>({
    {"No working init found", GuestEnd::kNoInit},
    {"Requested init", GuestEnd::kNoInit},
    {"Unable to mount root fs", GuestEnd::kNoInit},
    {"Initramfs unpacking failed", GuestEnd::kNoInit},
    {"Attempted to kill init", GuestEnd::kNoInit},
    {"kernel BUG at", GuestEnd::kOops},
    {"BUG: ", GuestEnd::kOops},
    {"Oops: ", GuestEnd::kOops},
    {"Internal error: Oops", GuestEnd::kOops},
    {"Unable to handle kernel", GuestEnd::kOops},
    {"general protection fault:", GuestEnd::kOops},  // A program's own has " ip:" there.
    {"general protection fault, ", GuestEnd::kOops},
    {"double fault", GuestEnd::kOops},
    {"divide error: ", GuestEnd::kOops},
    {"invalid opcode: ", GuestEnd::kOops},
    {"Kernel panic - not syncing", GuestEnd::kPanic},
});

bool IsLetter(char character) { return std::isalnum(static_cast<unsigned char>(character)) != 0; }

// Where the words begin, not in the middle of another one: "BUG: " is not in "DEBUG: ".
std::size_t FindWords(const std::string& text, std::string_view words) {
  std::size_t at = text.find(words);
  while (at != std::string::npos && at > 0 && IsLetter(text[at - 1])) at = text.find(words, at + 1);
  return at;
}

std::string LineAt(const std::string& text, std::size_t at) {
  const std::size_t begin = text.rfind('\n', at) + 1;  // 0 if there is none.
  std::string line = text.substr(begin, text.find('\n', at) - begin);
  std::erase(line, '\r');
  return line;
}

}  // namespace

std::string_view NameOf(GuestEnd end) {
  constexpr std::array<std::string_view, 8> kNames{"ended",   "silent", "panic", "oops",
                                                   "no init", "hung",   "mute",  "stopped"};
  return kNames.at(static_cast<std::size_t>(end));
}

GuestReport JudgeGuest(const GuestSight& sight) {
  GuestReport report;
  const std::string& console = sight.console;
  const auto sign = std::find_if(kSigns.begin(), kSigns.end(), [&](const Sign& one) {
    return FindWords(console, one.words) != std::string::npos;
  });
  if (sign != kSigns.end()) {
    report.end = sign->end;
    report.fault = LineAt(console, FindWords(console, sign->words));
  } else if (!sight.ended_itself) {
    const bool is_silent = console.find_first_not_of(" \t\r\n") == std::string::npos;
    report.end = is_silent ? GuestEnd::kSilent : GuestEnd::kHung;
  } else if (!sight.has_result) {
    report.end = GuestEnd::kMute;
    const std::size_t said = console.find("\nhone: ");  // Our own program, in its distress.
    if (said != std::string::npos) report.fault = LineAt(console, said + 1);
  }
  const std::size_t cut = console.size() > kShownConsole ? console.size() - kShownConsole : 0;
  report.console = console.substr(cut);
  return report;
}

}  // namespace hone::kernels
