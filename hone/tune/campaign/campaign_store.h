// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hone/base/clock.h"
#include "hone/base/file.h"
#include "hone/base/sqlite/sqlite.h"
#include "hone/core/result.h"
#include "hone/core/space.h"
#include "hone/eval/sqlite/change_signal.h"
#include "hone/tune/campaign/campaign_spec.h"
#include "hone/tune/campaign/ledger.h"
#include "hone/tune/campaign/verdict.h"

namespace hone::tune {

// What is known when a campaign begins, and what a replay needs.
struct CampaignStart {
  CampaignSpec spec;
  Space space;
  Candidate baseline;
  Capabilities needs;
  std::map<std::string, std::string> machine;  // Facts, as they were then.
  std::string version;                         // Of Hone.
  std::string name;                            // What its id begins with; empty: the domain's.
  std::map<std::string, double> prices;        // Domain::PricesOfChanges, as they were then.
  std::string submitter;                       // As of a task; empty: for all to read.
};

// Who asks for campaigns. What a server's client started is there for nobody else but an admin and
// whoever has the file itself.
struct CampaignAsker {
  std::string submitter = {};
  bool sees_all = true;

  bool Sees(const std::string& submitter_of_campaign) const {
    return sees_all || submitter_of_campaign.empty() || submitter_of_campaign == submitter;
  }
};

// What a person calls it.
struct CampaignLabel {
  std::string label;  // A few words, for lists.
  std::string note;   // As long as it must be.
};

enum class CampaignState {
  kUnfinished,  // Running in some process, or killed: its lock tells which.
  kDone,
};

struct StoredCampaign {
  std::string id;  // "toy-7", "redis-8"
  CampaignStart start;
  WallTime created;
  WallTime updated;
  CampaignState state = CampaignState::kUnfinished;
  std::optional<Verdict> verdict;  // Once done.
  std::string last_error;          // Why it ended without a verdict, the last time it did.
  std::string restore_text;        // Whether all is back, as the domain said at the end.
};

// What a campaign has done so far, for lists.
struct CampaignActivity {
  std::int64_t trials = 0;
  WallTime last;  // Of its decisions.
};

struct StoredDecision {
  Decision decision;
  WallTime at;
};

// The campaigns in a SQLite file, which it shares with the queue of their tasks. Each call is
// durable when it returns, and rings the file's bell (eval/sqlite/change_signal.h), so that nobody
// polls. Not safe for concurrent use; other processes may have the file open.
class CampaignStore {
 public:
  // For reading, too, a file of an older build is brought up to date first. kUnsupported, with what
  // to do, if this process may not do that.
  static Result<CampaignStore> Open(const std::filesystem::path& path, Clock& clock,
                                    Database::Mode mode = Database::Mode::kReadWrite);

  Result<std::string> Create(const CampaignStart& start);  // Returns the id.

  // By id; "last" is the newest. kNotFound, in the same words, where the asker does not see it.
  Result<StoredCampaign> Find(const std::string& id, const CampaignAsker& asker = {});
  Result<std::vector<StoredCampaign>> List(const CampaignAsker& asker = {});  // Newest first.

  // From the one at `first` on.
  Result<std::vector<StoredDecision>> Decisions(const std::string& id, std::size_t first = 0);
  Result<void> Append(const std::string& id, std::size_t index, const Decision& decision);

  // Of each campaign that has decided anything.
  Result<std::map<std::string, CampaignActivity>> Activity();

  Result<void> Finish(const std::string& id, const Verdict& verdict);
  Result<void> NoteError(const std::string& id, const std::string& message);
  Result<void> NoteRestore(const std::string& id, const std::string& sentence);

  // What its proposer has learnt, for a later campaign to begin with; the last one counts. nullopt
  // if its proposer keeps nothing of the kind.
  Result<void> KeepPolicy(const std::string& id, const std::string& policy);
  Result<std::optional<std::string>> Policy(const std::string& id);

  // An empty label and an empty note are none.
  Result<void> SetLabel(const std::string& id, const CampaignLabel& label);
  Result<std::map<std::string, CampaignLabel>> Labels();  // By id, of those that have one.

  // The campaign and what it decided; its tasks are the queue's. The caller holds its lock.
  Result<void> Forget(const std::string& id);

  // Held by the process that runs the campaign. kStale if another one does.
  Result<FileLock> Lock(const std::string& id) const;
  bool IsRunning(const std::string& id) const;  // Some process holds the lock.

  // A ledger that holds the stored decisions and appends to this store, which outlives it.
  Result<Ledger> OpenLedger(const std::string& id);

 private:
  CampaignStore(Database database, std::filesystem::path path, Clock& clock);

  Result<void> Commit(Statement& change);          // Then rings.
  Result<bool> HasTable(const std::string& name);  // A file of an older build that is only read.
  std::filesystem::path LockPath(const std::string& id) const;

  Result<StoredCampaign> Read(const Statement& row) const;

  Database database_;
  std::filesystem::path path_;
  Clock* clock_;
  ChangeNotifier rope_;  // Does nothing if the store is open for reading only.
};

}  // namespace hone::tune
