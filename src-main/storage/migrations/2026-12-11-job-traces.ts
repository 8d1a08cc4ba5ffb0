/** Contexts of traces that callers brought with their jobs; of a job without one there is no row. */
export const jobTraces = {
  id: '2026-12-11-job-traces',
  sql: `
CREATE TABLE job_traces (
  seq      INTEGER PRIMARY KEY REFERENCES jobs (seq) ON DELETE CASCADE,
  trace_id TEXT NOT NULL,
  span_id  TEXT NOT NULL,
  sampled  INTEGER NOT NULL CHECK (sampled IN (0, 1)),
  state    TEXT                   -- the header tracestate; NULL: there was none
) STRICT;
`,
} as const
