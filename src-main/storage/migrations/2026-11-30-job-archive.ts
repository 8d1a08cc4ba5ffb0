/**
 * Jobs stay after the job API has forgotten them: `archived` is set when their retention is over. The indexes of the queue
 * and of the job API leave archived jobs out, so that these cost nothing there however many they are.
 */
export const jobArchive = {
  id: '2026-11-30-job-archive',
  sql: `
ALTER TABLE jobs ADD COLUMN archived INTEGER NOT NULL DEFAULT 0
  CHECK (archived = 0 OR (archived = 1 AND finished_at IS NOT NULL));
DROP INDEX jobs_by_state;
CREATE INDEX jobs_by_state ON jobs (endpoint_id, status, low_priority, seq) WHERE archived = 0;
DROP INDEX jobs_by_deadline;
CREATE INDEX jobs_by_deadline ON jobs (deadline_at) WHERE archived = 0;
CREATE INDEX archived_jobs_by_state ON jobs (endpoint_id, status, seq) WHERE archived = 1;

-- NULL: the payload is in its row, or its file was written before sizes were.
ALTER TABLE job_inputs ADD COLUMN file_bytes INTEGER;
ALTER TABLE job_outputs ADD COLUMN file_bytes INTEGER;

CREATE TABLE job_archive (
  seq             INTEGER PRIMARY KEY REFERENCES jobs (seq) ON DELETE CASCADE,
  archived_at     INTEGER NOT NULL,                                -- steady ms
  record_bytes    INTEGER NOT NULL,                                -- its input and its record, about
  output_bytes    INTEGER NOT NULL,                                -- its output and its chunks, about
  output_removed  INTEGER NOT NULL DEFAULT 0 CHECK (output_removed IN (0, 1))
) STRICT;
CREATE INDEX job_archive_by_time ON job_archive (archived_at);
CREATE INDEX job_archive_by_output ON job_archive (output_bytes);

-- Asked each half second.
CREATE TABLE job_archive_total (bytes INTEGER NOT NULL CHECK (bytes >= 0)) STRICT;
INSERT INTO job_archive_total (bytes) VALUES (0);
CREATE TRIGGER job_archived AFTER INSERT ON job_archive BEGIN
  UPDATE job_archive_total SET bytes = bytes + NEW.record_bytes + NEW.output_bytes;
END;
CREATE TRIGGER job_archive_changed AFTER UPDATE OF record_bytes, output_bytes ON job_archive BEGIN
  UPDATE job_archive_total
  SET bytes = bytes + NEW.record_bytes + NEW.output_bytes - OLD.record_bytes - OLD.output_bytes;
END;
-- Also for rows that go with their job.
CREATE TRIGGER job_archive_removed AFTER DELETE ON job_archive BEGIN
  UPDATE job_archive_total SET bytes = bytes - OLD.record_bytes - OLD.output_bytes;
END;

ALTER TABLE graph_jobs ADD COLUMN archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1));
DROP INDEX graph_jobs_of_endpoint;
CREATE INDEX graph_jobs_of_endpoint ON graph_jobs (endpoint_id, seq) WHERE archived = 0;
`,
} as const
