// SPDX-License-Identifier: Apache-2.0
// What a hostile program does, one thing at a time: `attacker NAME`. For the tests of the sandbox.
// An attempt to get out prints "refused" or "ESCAPED"; one to stay prints what it found.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <initializer_list>

#include "hone/sandbox/attacker.h"

int main(int count, char** arguments) {
  if (count < 2) return 2;
  setvbuf(stdout, nullptr, _IONBF, 0);
  for (const auto& [attacks, size] : {hone::attacker::Escapes(), hone::attacker::Bombs()}) {
    for (int i = 0; i < size; ++i) {
      if (strcmp(attacks[i].name, arguments[1]) == 0) return attacks[i].run();
    }
  }
  fprintf(stderr, "no such attack: %s\n", arguments[1]);
  return 2;
}
