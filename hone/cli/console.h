// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

namespace hone::cli {

// Colours for a terminal, or nothing.
class Ink {
 public:
  explicit Ink(bool is_on = false) : is_on_(is_on) {}

  std::string Bold(std::string_view text) const { return Wrap("1", text); }
  std::string Good(std::string_view text) const { return Wrap("1;32", text); }
  std::string Warning(std::string_view text) const { return Wrap("33", text); }
  std::string Bad(std::string_view text) const { return Wrap("1;31", text); }
  std::string Faint(std::string_view text) const { return Wrap("2", text); }

 private:
  std::string Wrap(std::string_view code, std::string_view text) const;

  bool is_on_;
};

// Where a verb writes: the answer to `out`, everything else to `err`.
struct Console {
  std::ostream& out;
  std::ostream& err;
  Ink out_ink;
  Ink err_ink;
  bool is_err_terminal = false;
};

// The process's own. Colour only on a terminal and without NO_COLOR.
Console StandardConsole();

// Columns of the terminal on standard error, read anew each time; 80 if it does not say.
int TerminalWidth();

}  // namespace hone::cli
