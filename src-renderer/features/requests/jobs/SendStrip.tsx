import { Bookmark, Columns3, Send } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { SegmentedChoice } from '../../../ui/SegmentedChoice.tsx'
import { JOB_OPERATIONS, type JobOperation } from './answer.ts'

/** What is done with the request in the editor. */
export type SendStripProps = {
  readonly choice: ReactNode
  readonly operation: JobOperation
  readonly onOperation: (operation: JobOperation) => void
  readonly onSend: () => void
  readonly onSendAll: () => void
  readonly onSaved: () => void
  /** Whether the body cannot be sent; the editor says why. */
  readonly disabled: boolean
}

const MEANINGS: Readonly<Record<JobOperation, string>> = {
  run: 'Queues the job and answers at once; its result is waited for here.',
  runsync: 'Waits for the result in the same request.',
  stream: 'Queues the job and shows what the handler yields as it comes.',
}

/** The strip above the editor. */
export function SendStrip(props: SendStripProps) {
  const { choice, operation, onOperation, onSend, onSendAll, onSaved, disabled } = props
  return (
    <div className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-2">
        {choice}
        <SegmentedChoice label="Operation" choices={JOB_OPERATIONS} value={operation} onChange={onOperation} />
        <Button kind="main" disabled={disabled} onClick={onSend} aria-keyshortcuts="Control+Enter">
          <Send aria-hidden /> Send
        </Button>
        <Button disabled={disabled} onClick={onSendAll}>
          <Columns3 aria-hidden /> Send all three
        </Button>
        <Button className="ml-auto" onClick={onSaved}>
          <Bookmark aria-hidden /> Saved requests
        </Button>
      </div>
      <p className="text-small text-ink-2">
        {MEANINGS[operation]} It goes as <code>application/json</code> with the session of this browser, so no key is
        needed here.
      </p>
    </div>
  )
}
