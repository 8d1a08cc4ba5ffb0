/**
 * Units of sizes and spans, so that a figure reads `8 * MIB`. Sizes are binary, as the limits of the platform are.
 * Source: docs/spec/job-api.md, 11.
 */

/** Bytes of a kibibyte. */
export const KIB = 1024
/** Bytes of a mebibyte. */
export const MIB = 1024 * KIB
/** Bytes of a gibibyte. */
export const GIB = 1024 * MIB

/** Milliseconds of a second. */
export const SECOND_MS = 1000
/** Milliseconds of a minute. */
export const MINUTE_MS = 60 * SECOND_MS
/** Milliseconds of an hour. */
export const HOUR_MS = 60 * MINUTE_MS
/** Milliseconds of a day. */
export const DAY_MS = 24 * HOUR_MS
