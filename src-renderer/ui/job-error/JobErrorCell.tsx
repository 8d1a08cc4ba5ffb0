import { errorHeadline, errorLine, readJobError } from '../../../src-main/domain/job/read-error.ts'

/** The error of a job in a row of a table: its line, with the whole of type and message on hover. */
export function JobErrorCell({ error }: { readonly error: string | undefined }) {
  if (error === undefined) return null
  return (
    <span title={errorHeadline(readJobError(error))} className="text-failed-ink">
      {errorLine(error)}
    </span>
  )
}
