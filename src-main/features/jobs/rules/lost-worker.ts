import { counted } from '../../../lib/text.ts'

export function lostWorkerError(tries: number, cause: string | undefined): string {
  const error = `job timed out after ${tries} retries`
  return cause === undefined ? error : `${error}: ${cause}`
}

const LOST = /^job timed out after (\d+) retries(?:: (.*))?$/s

/** The same for people, who take "timed out" for a time limit; undefined for any other error. */
export function lostWorkerText(error: string): string | undefined {
  const [isLost, retries, cause] = LOST.exec(error) ?? []
  if (isLost === undefined) return undefined
  const tries = counted(Number(retries) + 1, 'try', 'tries')
  return `Its worker ended during the job (${tries})${cause === undefined ? '' : `: ${cause}`}`
}
