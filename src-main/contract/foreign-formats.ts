/** Formats of other tools that locks are read from and written in. Source: docs/spec/worker-images.md, 1.4. */
export const FOREIGN_FORMATS = ['comfy-build', 'snapshot', 'comfy-lock'] as const

export type ForeignFormat = (typeof FOREIGN_FORMATS)[number]
