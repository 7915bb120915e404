// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/sqlite/eval_schema.h"

namespace hone {
namespace {

// Times are microseconds of wall-clock time since the epoch.
//
// queue_needs numbers the distinct sets of needs. There are few of them, so that a worker finds
// its next task with one look at the head of each line that it can serve.
//
// An evaluation is kept once, as the JSON of base/json/records.h. Samples are read far less
// often than they are written, and always by task, so they have no table of their own to be kept
// in step: evaluation_samples shows one row for each metric of each run, made from the document
// when somebody asks.
constexpr std::string_view kVersion1 = R"sql(
CREATE TABLE queue_needs (
  class INTEGER PRIMARY KEY,
  needs TEXT NOT NULL UNIQUE
);

CREATE TABLE queue_tasks (
  sequence INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  body TEXT NOT NULL,
  class INTEGER NOT NULL REFERENCES queue_needs,
  priority INTEGER NOT NULL,
  deadline_us INTEGER,
  most_attempts INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN
    ('waiting', 'leased', 'evaluated', 'cancelled', 'expired', 'abandoned')),
  generation INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  lease_end_us INTEGER,
  reason TEXT NOT NULL DEFAULT ''
);
CREATE INDEX queue_tasks_waiting ON queue_tasks (class, priority DESC, sequence)
  WHERE state = 'waiting';
CREATE INDEX queue_tasks_leased ON queue_tasks (lease_end_us) WHERE state = 'leased';
CREATE INDEX queue_tasks_deadline ON queue_tasks (deadline_us)
  WHERE deadline_us IS NOT NULL AND state IN ('waiting', 'leased');

CREATE TABLE evaluations (
  sequence INTEGER PRIMARY KEY,
  task TEXT NOT NULL UNIQUE,
  outcome TEXT NOT NULL,
  settled_us INTEGER NOT NULL,
  body TEXT NOT NULL
);

CREATE VIEW evaluation_samples AS
SELECT e.sequence AS evaluation, e.task AS task, s.key AS run,
       json_extract(s.value, '$.arm') AS arm,
       json_extract(s.value, '$.started_us') AS started_us,
       json_extract(s.value, '$.duration_us') AS duration_us,
       m.key AS metric,
       json_extract(m.value, '$.value') AS value,
       json_extract(m.value, '$.spread') AS spread,
       json_extract(m.value, '$.count') AS count
FROM evaluations AS e, json_each(e.body, '$.samples') AS s, json_each(s.value, '$.metrics') AS m;
)sql";

// Tasks wait in the order of rank_us (RankOf in queue_rules.h), the settled ones make a feed, and
// workers show themselves. What an older file does not know, the times of pushing and of dropping,
// is set to the time of this step.
//
// queue_totals has one row: how many were ever settled, which is also the feed's last sequence, how
// many of those were forgotten, and the generation at which new tasks begin, beyond all forgotten.
constexpr std::string_view kVersion2 = R"sql(
CREATE TABLE queue_totals (
  settled INTEGER NOT NULL,
  forgotten INTEGER NOT NULL,
  forgotten_generation INTEGER NOT NULL
);

CREATE TABLE queue_workers (
  name TEXT PRIMARY KEY,
  shown_until_us INTEGER NOT NULL,
  card TEXT NOT NULL
);

ALTER TABLE queue_tasks ADD COLUMN pushed_us INTEGER NOT NULL DEFAULT 0;
ALTER TABLE queue_tasks ADD COLUMN rank_us INTEGER NOT NULL DEFAULT 0;
ALTER TABLE queue_tasks ADD COLUMN worker TEXT NOT NULL DEFAULT '';
ALTER TABLE queue_tasks ADD COLUMN taken_us INTEGER;
ALTER TABLE queue_tasks ADD COLUMN settled_us INTEGER;
ALTER TABLE queue_tasks ADD COLUMN settled_sequence INTEGER;

UPDATE queue_tasks SET pushed_us = strftime('%s', 'now') * 1000000;
UPDATE queue_tasks SET rank_us = pushed_us - priority * 60000000;
UPDATE queue_tasks
  SET settled_us = coalesce((SELECT settled_us FROM evaluations WHERE task = id), pushed_us)
  WHERE state NOT IN ('waiting', 'leased');
UPDATE queue_tasks SET settled_sequence = place
  FROM (SELECT sequence AS settled, row_number() OVER (ORDER BY settled_us, sequence) AS place
        FROM queue_tasks WHERE settled_us IS NOT NULL)
  WHERE sequence = settled;
INSERT INTO queue_totals SELECT count(settled_sequence), 0, 0 FROM queue_tasks;

DROP INDEX queue_tasks_waiting;
CREATE INDEX queue_tasks_waiting ON queue_tasks (class, rank_us, sequence, priority, state)
  WHERE state = 'waiting';
CREATE UNIQUE INDEX queue_tasks_settled ON queue_tasks (settled_sequence)
  WHERE settled_sequence IS NOT NULL;
)sql";

// Tasks have an owner; those of older builds get theirs from the campaigns (CampaignStore), and in
// a service they have none. The column counts: the body of an older build does not name it.
constexpr std::string_view kVersion3 = R"sql(
ALTER TABLE queue_tasks ADD COLUMN owner TEXT NOT NULL DEFAULT '';

DROP INDEX queue_tasks_waiting;
CREATE INDEX queue_tasks_waiting
  ON queue_tasks (owner, class, rank_us, sequence, priority, state) WHERE state = 'waiting';
)sql";

}  // namespace

Result<void> MigrateEvalSchema(Database& database) {
  return database.Migrate("eval", {kVersion1, kVersion2, kVersion3});
}

}  // namespace hone
