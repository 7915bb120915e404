// SPDX-License-Identifier: Apache-2.0
// What the parts of a guest's first program share.
#pragma once

#include <stdint.h>

uint64_t Ticks(void);    // Of the processor's own counter.
uint64_t ClockNs(void);  // As the kernel tells it.

// Adds to the answer, which is sent once, at the end.
__attribute__((format(printf, 1, 2))) void Tell(const char* form, ...);

void End(void);               // Of the machine.
void Fail(const char* what);  // Says it with errno on the console, and ends.

// A line of the task about commands (guest_commands.c).
void DoCommandLine(const char* verb, char* word);

// What the measured command came to, if there was one.
void TellMeasured(void);
