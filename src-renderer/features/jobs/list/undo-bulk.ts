import type { BulkAction } from '../../../../src-main/contract/job-routes.ts'
import type { PendingBulkView } from '../../../../src-main/contract/pending-bulk.ts'
import { counted } from '../../../../src-main/lib/text.ts'
import type { AppServices } from '../../../store/app-context.ts'
import { duration } from '../../../ui/format.ts'
import { tellIn } from '../../../ui/use-tell.ts'

/** How long a bulk action can be undone, ms. Source: docs/spec/interface.md, 1.2. */
export const UNDO_MS = 10_000
// Polled, because carrying out a large action takes a while.
const LOOK_MS = 500

const DONE: Readonly<Record<BulkAction, string>> = {
  retry: 'queued again',
  cancel: 'cancelled',
  rerun: 'queued as new jobs',
}

type Accepted = {
  readonly pending: PendingBulkView
  readonly count: number | undefined
  /** Called once the action was carried out, undone, or lost track of. */
  readonly onEnd: () => void
}

export function tellPendingBulk(services: AppServices, { pending, count, onEnd }: Accepted): void {
  const { client, platform, store } = services
  const { notify, closeNotice } = store.getState()
  const { attempt } = tellIn(store)
  const { action } = pending
  const path = { actionId: pending.id }
  const jobs = count === undefined ? 'The jobs' : counted(count, 'job')
  let stopLooking = platform.after(UNDO_MS, () => void look())

  function end(text: string, kind: 'done' | 'error' = 'done'): void {
    closeNotice(notice)
    notify({ kind, text })
    onEnd()
  }

  function tell({ state, result }: PendingBulkView): void {
    if (result !== undefined)
      end([`${counted(result.changed, 'job')} ${DONE[action]}.`, ...result.refused.map(leftAlone)].join(' '))
    else if (state === 'undone') end('Nothing was changed.')
    else if (state === 'interrupted')
      end(
        'The service stopped before this was complete: check which jobs already have new ones before you try again.',
        'error',
      )
    else stopLooking = platform.after(LOOK_MS, () => void look())
  }

  const look = () => client.call('pendingBulkRead', { path }).then(tell, ({ message }) => end(message, 'error'))

  async function insteadOfWaiting(work: () => Promise<void>): Promise<void> {
    stopLooking()
    if (!(await attempt(work))) await look()
  }

  const notice = notify({
    kind: 'done',
    text: `${jobs} will be ${DONE[action]} in ${duration(UNDO_MS)}.`,
    undo: () =>
      void insteadOfWaiting(async () => {
        await client.call('pendingBulkUndo', { path })
        end('Nothing was changed.')
      }),
    more: {
      label: 'Do it now',
      run: () => void insteadOfWaiting(async () => tell(await client.call('pendingBulkStart', { path }))),
    },
  })
}

const leftAlone = ({ reason, count }: { readonly reason: string; readonly count: number }) =>
  `${counted(count, 'job')} left as ${count === 1 ? 'it is' : 'they are'}: ${reason}.`
