// SPDX-License-Identifier: Apache-2.0
#include "hone/base/errno_error.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace hone {
namespace {

struct ErrnoMeaning {
  Errc code;
  std::string text;
};

ErrnoMeaning MeaningOfErrno(int number) {
  switch (number) {
    case ENOSPC:
    case EDQUOT:
      return {Errc::kUnavailable,
              "the disk is full: free some space, then run the same command again"};
    case ENOENT:
      return {Errc::kNotFound, "no such file or folder"};
    case EACCES:
    case EPERM:
      return {Errc::kUnsupported,
              "permission denied: run as the user who owns it, or choose another place"};
    case EROFS:
      return {Errc::kUnsupported, "the file system is read-only: choose another place"};
    case EMFILE:
    case ENFILE:
      return {Errc::kUnavailable, "too many open files: raise the limit (ulimit -n)"};
    case EIO:
      return {Errc::kUnavailable, "input/output error: the disk may be failing (see dmesg)"};
    case EAGAIN:
    case ENOMEM:
    case EBUSY:
    case ETXTBSY:
      return {Errc::kUnavailable, std::generic_category().message(number)};
    case ENOSYS:
    case EOPNOTSUPP:
      return {Errc::kUnsupported, std::generic_category().message(number)};
    default:
      return {Errc::kInvalidArgument, std::generic_category().message(number)};
  }
}

}  // namespace

Error ErrnoError(std::string_view what, int number) {
  ErrnoMeaning meaning = MeaningOfErrno(number);
  return Error{meaning.code, fmt::format("{}: {}", what, meaning.text)};
}

}  // namespace hone
