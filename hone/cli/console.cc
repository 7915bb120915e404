// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/console.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

namespace hone::cli {
namespace {

constexpr int kUsualWidth = 80;

bool HasColour(int descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  const char* terminal = std::getenv("TERM");
  if (terminal != nullptr && std::string_view(terminal) == "dumb") return false;
  return ::isatty(descriptor) == 1;
}

}  // namespace

std::string Ink::Wrap(std::string_view code, std::string_view text) const {
  if (!is_on_ || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

Console StandardConsole() {
  return {std::cout, std::cerr, Ink(HasColour(STDOUT_FILENO)), Ink(HasColour(STDERR_FILENO)),
          ::isatty(STDERR_FILENO) == 1};
}

int TerminalWidth() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsualWidth;
  return size.ws_col;
}

}  // namespace hone::cli
