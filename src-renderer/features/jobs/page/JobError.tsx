import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { errorLine, errorText } from '../../../../src-main/domain/job/read-error.ts'
import { Button } from '../../../ui/Button.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'

/** Why a job has failed: the line that says most, and all of it at a press. */
export function JobError({ error }: { readonly error: string }) {
  const [whole, setWhole] = useState(false)
  const [line, text] = [errorLine(error), errorText(error)]
  return (
    <div role="alert" className="rounded-control bg-failed-soft text-failed-ink">
      <div className="flex items-start gap-2 py-2 pr-1 pl-3">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
        <p className="min-w-0 flex-1 break-words whitespace-pre-wrap">{line}</p>
        <div className="-my-1 flex items-center">
          {text !== line && (
            <Button kind="quiet" aria-expanded={whole} onClick={() => setWhole(!whole)}>
              {whole ? 'Only the message' : 'Whole error'}
            </Button>
          )}
          <CopyButton text={text} what="error" />
        </div>
      </div>
      {whole && (
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
          tabIndex={0}
          className="max-h-80 overflow-auto border-t border-failed/20 px-3 py-2 font-mono text-small break-words whitespace-pre-wrap"
        >
          {text}
        </pre>
      )}
    </div>
  )
}
