// SPDX-License-Identifier: Apache-2.0
// compute-sanitizer for tests (README.md): runs a program whose libcuda knows from two variables
// what it is looked at with, and where to say what was found.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

int main(int count, char** words) {
  std::string tool;
  std::string log;
  int status_if_found = 1;
  int first = 1;
  for (; first + 1 < count && words[first][0] == '-'; first += 2) {
    const std::string option = words[first];
    if (option == "--tool") tool = words[first + 1];
    if (option == "--log-file") log = words[first + 1];
    if (option == "--error-exitcode") status_if_found = atoi(words[first + 1]);
  }
  FILE* const begun = fopen(log.c_str(), "w");
  if (begun == nullptr || first >= count) return 2;
  fputs("========= COMPUTE-SANITIZER\n", begun);
  fclose(begun);
  const long nothing_found = static_cast<long>(strlen("========= COMPUTE-SANITIZER\n"));
  setenv("HONE_SIMULATED_TOOL", tool.c_str(), 1);
  setenv("HONE_SIMULATED_LOG", log.c_str(), 1);
  const pid_t child = fork();
  if (child == 0) {
    execv(words[first], words + first);
    _exit(3);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return 2;
  FILE* const said = fopen(log.c_str(), "a");
  const bool has_found = said != nullptr && ftell(said) > nothing_found;
  if (said != nullptr) fputs(has_found ? "========= ERROR SUMMARY: 1 error\n" : "", said);
  if (said != nullptr) fclose(said);
  if (has_found) return status_if_found;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 4;
}
