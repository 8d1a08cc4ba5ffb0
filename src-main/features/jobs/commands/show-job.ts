import type { z } from 'zod'
import { CliError } from '../../../app/cli/cli-error.ts'
import { duration, type Output, size, stateText, valueText } from '../../../app/cli/output.ts'
import type { JobState, jobHandle, jobRecord } from '../../../contract/job.ts'
import type { QueueStatus } from '../../../contract/management.ts'
import { missingPackage } from '../../workers/rules/missing-module.ts'
import { aheadText, startWords } from '../rules/expected-start.ts'
import { errorLine, errorText, readJobError } from '../rules/read-error.ts'
import { isFinal } from '../rules/transitions.ts'

export type JobRecord = z.infer<typeof jobRecord>

export function showJob(
  output: Output,
  endpointId: string,
  job: JobRecord,
  { waitingReason, queue, warnings, now }: QueueStatus & { readonly now?: number } = {},
) {
  if (output.json) return output.document(job)
  const fix = job.error === undefined ? undefined : installCommand(endpointId, job.error)
  output.fields([
    ['job', job.id],
    ['endpoint', endpointId],
    ['status', stateText(output, job)],
    ['waits', waitingReason && output.asCalled(waitingReason)],
    ['queue', queue && aheadText(queue)],
    ['start', queue && `${startText(queue, now)}${queue.how}`],
    ['delay', spanText(job.delayTime)],
    ['execution', spanText(job.executionTime)],
    ['worker', job.workerId],
    ['retries', job.retries?.toString()],
    ['warning', warnings?.join(' ')],
    [isFinal(job.status) ? 'output' : 'progress', job.output === undefined ? undefined : outputText(job.output)],
    ['error', job.error === undefined ? undefined : errorShown(job.error)],
    ['fix', fix && output.asCalled(fix)],
  ])
}

function installCommand(endpointId: string, error: string): string | undefined {
  const wanted = missingPackage(errorText(error))
  return wanted && `drydock endpoint install ${endpointId} ${wanted}`
}

export function startText({ start }: NonNullable<QueueStatus['queue']>, now: number | undefined): string {
  if (start === undefined || now === undefined) return ''
  return `expected ${startWords(start, now)}: `
}

/** Without the calls within a graph server, which say little to its users. */
export function errorShown(error: string): string {
  const { node, message, traceback } = readJobError(error)
  if (node === undefined) return errorText(error)
  return traceback === undefined ? message : `${message}\n(--json prints its traceback)`
}

// A base64 picture would fill the terminal. Characters without a space; source: ours.
const LONG_WORD = /[\w+/=-]{1000,}/g

const SHOWN_CHARACTERS = 24

function outputText(output: unknown): string {
  return valueText(output).replace(LONG_WORD, (data) => {
    const held = isBase64(data)
      ? `${size(Math.floor((data.length * 3) / 4))} in base64`
      : `${size(data.length)} of text`
    return `${data.slice(0, SHOWN_CHARACTERS)}... (${held}; --json prints all)`
  })
}

const isBase64 = (text: string): boolean =>
  text.length % 4 === 0 && /^[^=]+={0,2}$/.test(text) && [/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(text))

export function showSubmitted(output: Output, endpointId: string, job: z.infer<typeof jobHandle>): void {
  if (output.piped && !output.json) output.line(job.id)
  else showHandle(output, endpointId, job)
}

export function showHandle(output: Output, endpointId: string, job: z.infer<typeof jobHandle>): void {
  output.result(job, () =>
    output.fields([
      ['job', job.id],
      ['endpoint', endpointId],
      ['status', stateText(output, job)],
    ]),
  )
}

export function expectSuccess(job: {
  readonly id: string
  readonly status: JobState
  readonly error?: string | undefined
}): void {
  if (!isFinal(job.status) || job.status === 'COMPLETED') return
  const why = job.error === undefined ? '' : `: ${errorLine(job.error)}`
  throw new CliError('JOB_NOT_SUCCESSFUL', { jobId: job.id, status: job.status, why })
}

function spanText(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : duration(ms)
}
