import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { useStore } from 'zustand'
import { Button } from '../../../ui/Button.tsx'
import type { Keeper, KeepState } from './autosave.ts'
import type { FileActions } from './use-file-actions.ts'

/** The keeper of the document that is shown. */
export type KeepNoticeProps = {
  readonly keeper: Keeper
  readonly actions: Pick<FileActions, 'exportDocument' | 'keepAsCopy' | 'loadTheirs'>
}

/** Says why edits are not kept, and what to do about it; nothing while they are. */
export function KeepNotice({ keeper, actions }: KeepNoticeProps) {
  const status = useStore(keeper.state, (state) => state.status)
  const fault = useStore(keeper.state, (state) => state.fault)
  const words = wordsOf(status, fault)
  if (words === undefined) return null
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-2 border-b border-line bg-warn-soft px-3 py-1.5 text-warn-ink"
    >
      <TriangleAlert aria-hidden className="size-4 shrink-0" />
      <p className="min-w-0 flex-1 basis-80 break-words">{words}</p>
      {actionsOf(status, keeper, actions)}
    </div>
  )
}

function wordsOf(status: KeepState['status'], fault = ''): string | undefined {
  if (status === 'away') return `Edits are kept in this browser until the service takes them. ${fault}`
  if (status === 'changed')
    return 'Another window has changed this workflow meanwhile. Nothing of yours is sent until you choose.'
  return status === 'refused' ? `The service does not take these edits. ${fault}` : undefined
}

function actionsOf(status: KeepState['status'], keeper: Keeper, actions: KeepNoticeProps['actions']): ReactNode {
  if (status === 'away') return <Button onClick={() => void keeper.keep()}>Try now</Button>
  return (
    <>
      {status === 'changed' ? (
        <Button onClick={() => void actions.loadTheirs()}>Load theirs</Button>
      ) : (
        <Button onClick={() => void actions.exportDocument()}>Save to disk</Button>
      )}
      <Button onClick={() => void actions.keepAsCopy()}>Keep mine as a copy</Button>
    </>
  )
}
