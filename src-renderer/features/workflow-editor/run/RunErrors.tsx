import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { placedLine, readRunError } from './read-run-error.ts'

/** What went wrong in a run. */
export type RunErrorsProps = {
  readonly errors: readonly string[]
  /** Leads to a node; without it the node is only named. */
  readonly onNode?: (payloadId: string) => void
}

/** The errors of a run, each at its node. */
export function RunErrors({ errors, onNode }: RunErrorsProps) {
  return errors.map((text) => {
    const error = readRunError(text)
    const { node, traceback } = error
    return (
      <div key={text} className="flex flex-col gap-1">
        <ErrorNotice
          error={placedLine(error)}
          action={
            node !== undefined &&
            onNode !== undefined && (
              <button type="button" onClick={() => onNode(node)} className="shrink-0 underline underline-offset-2">
                Show
              </button>
            )
          }
        />
        {traceback !== undefined && (
          <details className="text-small text-ink-2">
            <summary>Traceback</summary>
            <pre className="max-h-48 overflow-auto rounded-control border border-line bg-surface-0 p-2 font-mono whitespace-pre-wrap">
              {traceback}
            </pre>
          </details>
        )}
      </div>
    )
  })
}
