// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/sysctl/apply/held_state.h"

// The text of a journal: docs/formats/journal.md. A line is a record; it begins with a checksum of
// the rest of the line and with its number, counted from 0.
namespace hone::sysctl {

// The records that follow the head.
struct JournalRecord {
  enum class Kind {
    kIntend,  // A write of `text` to `path` is about to happen.
    kNow,     // `text` is in force at `path`.
    kGone,    // There is no `path` any more.
    kMoved,   // `path` moved though nobody wrote it; its original is `text`.
    kKeep,    // Reverted at the moment `text` of the boot clock, in milliseconds, unless confirmed.
  };
  Kind kind = Kind::kNow;
  std::string path;
  std::string text;
};

// What the record says, in memory.
void Follow(HeldState& state, const JournalRecord& record);

struct JournalText {
  HeldState state;
  std::string started;  // When the transaction began, UTC: 2026-11-15T08:30:00Z.
  std::size_t records = 0;
  bool is_torn = false;  // The last record was cut off and is left out.
};

// The head of a journal. `state` has not been changed since it was made.
std::string HeadText(const HeldState& state, std::string_view started);
std::size_t HeadRecords(const HeldState& state);

// One line. `number`: how many records the journal has already.
std::string RecordText(const JournalRecord& record, std::size_t number);

// kCorrupt: a record is damaged, or missing, or is not of this version; `what` names the file.
Result<JournalText> ReadJournalText(std::string_view text, std::string_view what);

}  // namespace hone::sysctl
