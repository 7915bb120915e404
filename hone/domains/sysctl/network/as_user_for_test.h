// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>

#include "hone/core/check.h"

// For tests of what a user without rights can do: a process of its own, since a user namespace
// cannot be entered by a program with threads, and root cannot be had back.
namespace hone::sysctl {

// What `body` returns, run in a forked child; "ended" if it does not come back.
inline std::string InChild(const std::function<std::string()>& body) {
  int ends[2];
  HONE_CHECK(::pipe2(ends, O_CLOEXEC) == 0);
  const pid_t child = ::fork();
  HONE_CHECK(child >= 0);
  if (child == 0) {
    ::close(ends[0]);
    const std::string answer = body() + "\n";
    const bool is_told = ::write(ends[1], answer.data(), answer.size()) >= 0;
    ::_exit(is_told ? 0 : 1);
  }
  ::close(ends[1]);
  std::string answer;
  char chunk[4096];
  for (ssize_t got = 0; (got = ::read(ends[0], chunk, sizeof chunk)) > 0;) {
    answer.append(chunk, static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  if (answer.empty()) return "ended";
  answer.pop_back();
  return answer;
}

// As the user nobody, if we are root; else as who we are.
inline std::string AsNobodyInChild(const std::function<std::string()>& body) {
  constexpr uid_t kNobody = 65534;
  return InChild([&]() -> std::string {
    if (::geteuid() == 0) {
      if (::setgroups(0, nullptr) != 0 || ::setresgid(kNobody, kNobody, kNobody) != 0 ||
          ::setresuid(kNobody, kNobody, kNobody) != 0) {
        return "could not become nobody";
      }
      ::prctl(PR_SET_DUMPABLE, 1);  // As any program that nobody starts.
    }
    return body();
  });
}

}  // namespace hone::sysctl
