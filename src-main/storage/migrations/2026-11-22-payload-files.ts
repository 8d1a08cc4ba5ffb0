/**
 * Large payloads move out of the rows into files of the folder `payloads`. Where `file` is set, the text of the row is
 * only its beginning, for the search. However a row goes away or changes, its file is noted in `removed_payloads`, and
 * deleted after that commit.
 */
export const payloadFiles = {
  id: '2026-11-22-payload-files',
  sql: `
ALTER TABLE job_inputs ADD COLUMN file TEXT;
ALTER TABLE job_outputs ADD COLUMN file TEXT;
-- Whether a file that lies in the folder is named by any row.
CREATE INDEX job_inputs_by_file ON job_inputs (file) WHERE file IS NOT NULL;
CREATE INDEX job_outputs_by_file ON job_outputs (file) WHERE file IS NOT NULL;

CREATE TABLE removed_payloads (file TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TRIGGER input_removed AFTER DELETE ON job_inputs WHEN OLD.file IS NOT NULL
  BEGIN INSERT INTO removed_payloads (file) VALUES (OLD.file); END;
CREATE TRIGGER output_removed AFTER DELETE ON job_outputs WHEN OLD.file IS NOT NULL
  BEGIN INSERT INTO removed_payloads (file) VALUES (OLD.file); END;
CREATE TRIGGER output_replaced AFTER UPDATE OF file ON job_outputs WHEN OLD.file IS NOT NULL
  BEGIN INSERT INTO removed_payloads (file) VALUES (OLD.file); END;
`,
} as const
