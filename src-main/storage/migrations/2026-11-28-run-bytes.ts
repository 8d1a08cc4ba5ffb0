/** How much the texts of runs take, so that a sweep need not read them all. */
export const runBytes = {
  id: '2026-11-28-run-bytes',
  sql: `
CREATE TABLE workflow_runs_total (bytes INTEGER NOT NULL CHECK (bytes >= 0)) STRICT;
INSERT INTO workflow_runs_total (bytes)
  SELECT COALESCE(SUM(octet_length(payload) + COALESCE(octet_length(document), 0)), 0) FROM workflow_run_texts;
CREATE TRIGGER run_texts_added AFTER INSERT ON workflow_run_texts BEGIN
  UPDATE workflow_runs_total SET bytes = bytes + octet_length(NEW.payload) + COALESCE(octet_length(NEW.document), 0);
END;
-- Also for rows that go with their run.
CREATE TRIGGER run_texts_removed AFTER DELETE ON workflow_run_texts BEGIN
  UPDATE workflow_runs_total SET bytes = bytes - octet_length(OLD.payload) - COALESCE(octet_length(OLD.document), 0);
END;
`,
} as const
