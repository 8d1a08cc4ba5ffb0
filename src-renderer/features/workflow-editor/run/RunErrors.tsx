import type { RunView } from '../../../../src-main/contract/workflows.ts'
import { JobErrorNotice } from '../../../ui/job-error/JobErrorNotice.tsx'
import { placedLine, readRunError } from './read-run-error.ts'

/** What went wrong in a run. */
export type RunErrorsProps = {
  readonly run: Pick<RunView, 'errors' | 'endpointId'>
  /** Leads to a node; without it the node is only named. */
  readonly onNode?: (payloadId: string) => void
}

/** The errors of a run, each at its node, as the page of its job shows them. */
export function RunErrors({ run: { errors, endpointId }, onNode }: RunErrorsProps) {
  return errors.map((text) => {
    const error = readRunError(text)
    const { node } = error
    return (
      <JobErrorNotice
        key={text}
        error={text}
        endpointId={endpointId}
        headline={placedLine(error)}
        action={
          node !== undefined &&
          onNode !== undefined && (
            <button type="button" onClick={() => onNode(node)} className="shrink-0 underline underline-offset-2">
              Show
            </button>
          )
        }
      />
    )
  })
}
