/**
 * How long tests wait for facts. Nothing is slower for it: only a test that fails waits so long. Spans that a test judges
 * are its own, never these. Source: ours; with the files of four workers side by side, and with containers and package
 * installers, a process start of half a second has taken 40 s.
 */

/** The longest wait for one fact, in ms; below the limit of a test, so that a failure says what was waited for. */
export const PATIENCE_MS = 90_000

/** The limit of one test or hook, in ms: several facts may take long. */
export const TEST_LIMIT_MS = 240_000

/** The idle timeout of an endpoint whose worker must still be there for a later job of the test, in ms. */
export const STAYS_MS = 600_000
