/** Errors of what-if questions; see errors.ts. */
export const WHAT_IF_ERRORS = {
  WHAT_IF_BUSY: {
    status: 429,
    title: 'Too Many Requests',
    message: 'Other what-if questions are still being answered. Ask again when they are.',
  },
} as const
