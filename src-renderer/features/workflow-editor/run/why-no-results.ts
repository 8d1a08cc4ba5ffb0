import type { RunView } from '../../../../src-main/contract/workflows.ts'

/** Why a run has no results, in the place where they would be. */
export function whyNoResults({
  status,
  errors,
  previews = [],
}: Pick<RunView, 'status' | 'errors' | 'previews'>): string {
  switch (status) {
    case 'IN_QUEUE':
      return 'It waits in the queue.'
    case 'IN_PROGRESS':
      return 'It runs; what it gives comes when it is done.'
    case 'COMPLETED':
      if (errors.length > 0) return 'It gave nothing else.'
      return previews.length > 0
        ? 'It gave previews alone, which its nodes show. To keep a picture, add a node that saves it, like Save Image.'
        : 'It gave no result. Add a node that saves one, like Save Image.'
    case 'CANCELLED':
      return 'It was cancelled; nothing is kept.'
    case 'TIMED_OUT':
      return 'It took longer than its time to live.'
    case 'FAILED':
      return 'It failed before it gave anything.'
  }
}
