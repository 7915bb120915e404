// SPDX-License-Identifier: Apache-2.0
#pragma once

// The parts of the attacker, a program for the tests of the sandbox.
namespace hone::attacker {

struct Attack {
  const char* name;
  int (*run)();  // Gives the exit status.
};

struct Attacks {
  const Attack* first;
  int count;
};

Attacks Escapes();  // Attempts to reach what is outside.
Attacks Bombs();    // Attempts to use up the machine, or to stay.

}  // namespace hone::attacker
