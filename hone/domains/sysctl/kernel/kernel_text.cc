// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/kernel/kernel_text.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "hone/domains/sysctl/kernel/setting.h"

namespace hone::sysctl {
namespace {

std::string Named(int number) {
  const char* name = ::strerrorname_np(number);
  return fmt::format("{}, {}", name == nullptr ? std::to_string(number) : name,
                     ::strerrordesc_np(number));
}

Errc MeaningOf(int number) {
  switch (number) {
    case EACCES:
    case EPERM:
    case EROFS:
    case EIO:
    case EISDIR:
    case ENODEV:
    case EOPNOTSUPP:
      return Errc::kUnsupported;
    case EAGAIN:
    case EBUSY:
    case EINTR:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return Errc::kUnavailable;
    default:
      return Errc::kInvalidArgument;
  }
}

}  // namespace

std::string CleanText(std::string_view raw) {
  while (!raw.empty() && raw.back() == '\n') raw.remove_suffix(1);
  std::string text;
  text.reserve(raw.size());
  for (const char letter : raw) {
    const bool is_blank = letter == '\t' || letter == ' ';
    if (is_blank && !text.empty() && text.back() == ' ') continue;
    text += is_blank ? ' ' : letter;
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::string ChosenText(const std::string& path, std::string_view raw) {
  std::string text = CleanText(raw);
  if (!path.starts_with("/sys/")) return text;
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']', open == std::string::npos ? 0 : open);
  if (open == std::string::npos || close == std::string::npos) return text;
  const bool is_at_start = open == 0 || text[open - 1] == ' ';
  const bool is_at_end = close + 1 == text.size() || text[close + 1] == ' ';
  if (!is_at_start || !is_at_end) return text;
  return text.substr(open + 1, close - open - 1);
}

Error OpenError(const std::string& path, int number) {
  if (number == ENOENT || number == ENOTDIR) {
    return {Errc::kNotFound, fmt::format("{}: no such parameter in this kernel", NameOfPath(path))};
  }
  if (number == EACCES || number == EPERM || number == EROFS) {
    return {Errc::kUnsupported,
            fmt::format("{}: may not be opened here ({}); kernel parameters need root",
                        NameOfPath(path), Named(number))};
  }
  return {MeaningOf(number),
          fmt::format("{}: cannot be opened ({})", NameOfPath(path), Named(number))};
}

Error ReadError(const std::string& path, int number) {
  return {Errc::kUnsupported,
          fmt::format("{}: cannot be read ({})", NameOfPath(path), Named(number))};
}

Error WriteError(const std::string& path, const std::string& text, int number) {
  // Busy is how drivers refuse a value beside what else is set: an energy preference under the
  // performance governor.
  const Errc code = number == EBUSY ? Errc::kInvalidArgument : MeaningOf(number);
  return {code, fmt::format("{} = \"{}\": the kernel {} ({})", NameOfPath(path), text,
                            code == Errc::kInvalidArgument ? "refuses this value"
                                                           : "does not allow the write",
                            Named(number))};
}

}  // namespace hone::sysctl
