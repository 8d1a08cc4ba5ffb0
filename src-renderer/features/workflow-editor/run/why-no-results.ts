import type { RunView } from '../../../../src-main/contract/workflows.ts'

/** Why a run has no results, in the place where they would be. */
export function whyNoResults({ status, errors }: Pick<RunView, 'status' | 'errors'>): string {
  switch (status) {
    case 'IN_QUEUE':
      return 'It waits in the queue.'
    case 'IN_PROGRESS':
      return 'It runs; what it gives comes when it is done.'
    case 'COMPLETED':
      return errors.length > 0
        ? 'It gave nothing else.'
        : 'It gave no result. Add a node that saves one, like Save Image.'
    case 'CANCELLED':
      return 'It was cancelled; nothing is kept.'
    case 'TIMED_OUT':
      return 'It took longer than its time to live.'
    case 'FAILED':
      return 'It failed before it gave anything.'
  }
}
