/** Sizes in bytes, binary as in the platform's limits; spans in ms. Source: docs/spec/job-api.md, 11. */

export const KIB = 1024
export const MIB = 1024 * KIB
export const GIB = 1024 * MIB

export const SECOND_MS = 1000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
