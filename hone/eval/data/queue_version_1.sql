BEGIN TRANSACTION;
CREATE TABLE evaluations (
  sequence INTEGER PRIMARY KEY,
  task TEXT NOT NULL UNIQUE,
  outcome TEXT NOT NULL,
  settled_us INTEGER NOT NULL,
  body TEXT NOT NULL
);
INSERT INTO "evaluations" VALUES(1,'7/0','accepted',1794730777552309,'{"evidence":[],"metrics":[],"outcome":"accepted","provenance":{"facts":{},"finished_us":0,"generation":1,"started_us":0,"version":"","worker":""},"reason":"","samples":[],"task":"7/0"}');
INSERT INTO "evaluations" VALUES(2,'7/1','accepted',1794730777571614,'{"evidence":[],"metrics":[],"outcome":"accepted","provenance":{"facts":{},"finished_us":0,"generation":1,"started_us":0,"version":"","worker":""},"reason":"","samples":[],"task":"7/1"}');
INSERT INTO "evaluations" VALUES(3,'7/2','accepted',1794730777583591,'{"evidence":[],"metrics":[],"outcome":"accepted","provenance":{"facts":{},"finished_us":0,"generation":3,"started_us":0,"version":"","worker":""},"reason":"","samples":[],"task":"7/2"}');
CREATE TABLE hone_schema (module TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT;
INSERT INTO "hone_schema" VALUES('eval',1);
CREATE TABLE queue_needs (
  class INTEGER PRIMARY KEY,
  needs TEXT NOT NULL UNIQUE
);
INSERT INTO "queue_needs" VALUES(1,'{"memory_mib":0,"names":[]}');
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
INSERT INTO "queue_tasks" VALUES(1,'7/0','{"candidate":{"assignment":{},"source":""},"domain":"","id":"7/0","most_attempts":3,"needs":{"memory_mib":0,"names":[]},"options":{},"order":["candidate"],"position":0,"priority":0,"run_limit_ms":60000,"seed":0}',1,0,NULL,3,'evaluated',1,0,1794730837552193,'');
INSERT INTO "queue_tasks" VALUES(2,'7/1','{"candidate":{"assignment":{},"source":""},"domain":"","id":"7/1","most_attempts":3,"needs":{"memory_mib":0,"names":[]},"options":{},"order":["candidate"],"position":0,"priority":0,"run_limit_ms":60000,"seed":0}',1,0,NULL,3,'evaluated',1,0,1794730837571538,'');
INSERT INTO "queue_tasks" VALUES(3,'7/2','{"candidate":{"assignment":{},"source":""},"domain":"","id":"7/2","most_attempts":3,"needs":{"memory_mib":0,"names":[]},"options":{},"order":["candidate"],"position":0,"priority":0,"run_limit_ms":60000,"seed":0}',1,0,NULL,3,'evaluated',3,1,1794730837583529,'a fault');
INSERT INTO "queue_tasks" VALUES(4,'7/3','{"candidate":{"assignment":{},"source":""},"domain":"","id":"7/3","most_attempts":3,"needs":{"memory_mib":0,"names":[]},"options":{},"order":["candidate"],"position":0,"priority":0,"run_limit_ms":60000,"seed":0}',1,0,NULL,3,'cancelled',0,0,NULL,'its client cancelled it');
INSERT INTO "queue_tasks" VALUES(11,'7/10','{"candidate":{"assignment":{},"source":""},"domain":"","id":"7/10","most_attempts":3,"needs":{"memory_mib":0,"names":[]},"options":{},"order":["candidate"],"position":0,"priority":0,"run_limit_ms":60000,"seed":0}',1,0,NULL,3,'leased',1,0,1794730837599232,'');
INSERT INTO "queue_tasks" VALUES(16,'7/15','{"candidate":{"assignment":{},"source":""},"domain":"","id":"7/15","most_attempts":3,"needs":{"memory_mib":0,"names":[]},"options":{},"order":["candidate"],"position":0,"priority":0,"run_limit_ms":60000,"seed":0}',1,0,NULL,3,'cancelled',0,0,NULL,'its client cancelled it');
INSERT INTO "queue_tasks" VALUES(22,'7/21','{"candidate":{"assignment":{},"source":""},"domain":"","id":"7/21","most_attempts":3,"needs":{"memory_mib":0,"names":[]},"options":{},"order":["candidate"],"position":0,"priority":0,"run_limit_ms":60000,"seed":0}',1,0,NULL,3,'leased',1,0,1794730837631546,'');
INSERT INTO "queue_tasks" VALUES(115,'waiting-1','{"candidate":{"assignment":{},"source":""},"domain":"","id":"waiting-1","most_attempts":3,"needs":{"memory_mib":0,"names":[]},"options":{},"order":["candidate"],"position":0,"priority":0,"run_limit_ms":60000,"seed":0}',1,0,NULL,3,'waiting',0,0,NULL,'');
INSERT INTO "queue_tasks" VALUES(116,'waiting-2','{"candidate":{"assignment":{},"source":""},"domain":"","id":"waiting-2","most_attempts":3,"needs":{"memory_mib":0,"names":[]},"options":{},"order":["candidate"],"position":0,"priority":2,"run_limit_ms":60000,"seed":0}',1,2,NULL,3,'waiting',0,0,NULL,'');
CREATE INDEX queue_tasks_waiting ON queue_tasks (class, priority DESC, sequence)
  WHERE state = 'waiting';
CREATE INDEX queue_tasks_leased ON queue_tasks (lease_end_us) WHERE state = 'leased';
CREATE INDEX queue_tasks_deadline ON queue_tasks (deadline_us)
  WHERE deadline_us IS NOT NULL AND state IN ('waiting', 'leased');
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
COMMIT;
