import { z } from 'zod'
import { limit } from '../../../contract/limits.ts'
import { errorLine } from '../../../features/jobs/rules/read-error.ts'
import { writeExact } from '../../../lib/json/plain.ts'
import type { ResponseOf } from '../../client/calls.ts'
import { cutText } from '../answer-text.ts'

export const endpointId = z.string().min(1).max(40).describe('id of the endpoint, as endpoint_list has it')

export const jobId = z.string().min(1).max(100).describe('id of the job')

export const rows = (usual: number) =>
  z.number().int().min(1).max(limit('mcpRows')).default(usual).describe(`how many at most`)

export const when = (at: number): string => new Date(at).toISOString()

export function preview(value: unknown, most: number): unknown {
  if (value === undefined) return undefined
  const text = writeExact(value)
  return text.length <= most ? value : cutText(text, most)
}

export function jobRow({ id, endpointId: endpoint, status, createdAt, error, ...more }: JobRow) {
  const { delayTime, executionTime, workerId, retries } = more
  return {
    ...{
      id,
      endpoint,
      status,
      createdAt: when(createdAt),
      waitedMs: delayTime,
      ranMs: executionTime,
      workerId,
      retries,
    },
    error: error === undefined ? undefined : cutText(errorLine(error), ERROR_LENGTH),
  }
}

type JobRow = ResponseOf<'jobList'>['requests'][number]

const ERROR_LENGTH = 300

export function logText(lines: ResponseOf<'endpointLogs'>['lines']): readonly string[] {
  const isOfMany = new Set(lines.map(({ workerId }) => workerId)).size > 1
  return lines.map(
    ({ at, workerId, level, line }) =>
      `${when(at)}${isOfMany ? ` ${workerId}` : ''} ${level} ${cutText(line, LINE_LENGTH)}`,
  )
}

const LINE_LENGTH = 1000
