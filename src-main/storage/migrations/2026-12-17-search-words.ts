/** The search index anew: with the words of errors in their order, and with the ends of all words. */
export const searchWords = {
  id: '2026-12-17-search-words',
  sql: `
DROP TABLE job_search;
CREATE VIRTUAL TABLE job_search USING fts5 (
  endpoint, error, text, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2"
);
-- Jobs below this number are indexed again in the background, the newest first.
INSERT OR REPLACE INTO service_state (name, value)
SELECT 'search.rebuildBelow', CAST(MAX(seq) + 1 AS TEXT) FROM jobs HAVING MAX(seq) IS NOT NULL;
`,
} as const
