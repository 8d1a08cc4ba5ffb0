/**
 * Runs as pages ask for them: one run, kept up to date by `live/live-queries.ts`, its name, its payload and its error.
 */
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { RunDetail, RunView } from '../../../../src-main/contract/workflows.ts'
import { type NodeError, nodeErrorLine } from '../../../../src-main/domain/job/node-error.ts'
import { errorHeadline, readJobError } from '../../../../src-main/domain/job/read-error.ts'
import { parseJson } from '../../../../src-main/domain/workflow/json/parse.ts'
import { isObject, type JsonObject } from '../../../../src-main/domain/workflow/json/value.ts'
import type { ApiClient } from '../../../api-client/client.ts'
import { useApp } from '../../../store/app-context.ts'

/** A run with its texts. Its payload never changes, so its texts are not walked through again. */
const runQuery = (client: Pick<ApiClient, 'call'>, runId: string) =>
  queryOptions({
    queryKey: ['run', runId],
    queryFn: ({ signal }) => client.call('runRead', { path: { runId }, signal }),
    structuralSharing: false,
    enabled: runId !== '',
  })

/** The payload of a run; empty where it is none. */
export function payloadOf({ payload }: Pick<RunDetail, 'payload'>): JsonObject {
  const parsed = parseJson(payload)
  return parsed.kind === 'value' && isObject(parsed.value) ? parsed.value : new Map()
}

/** What a run is called: the workflow that it is of, and for one of a sweep what sets it apart. */
export const runName = ({ title, label }: Pick<RunView, 'title' | 'label'>): string =>
  label === undefined ? title : `${title}, ${label}`

/** Why a run failed, and at which node of its payload. The message is without the location. */
export type RunError = Pick<NodeError, 'message' | 'title' | 'classType' | 'input'> & { readonly node?: string }

/** Reads an error of a run: workers of graphs name the node; others write a text. */
export function readRunError(text: string): RunError {
  const read = readJobError(text)
  if (read.node === undefined) return { message: errorHeadline(read) }
  const { reason, traceback: _traceback, ...error } = read.node
  return { ...error, message: reason ?? error.message }
}

/** The error in one line, with the location in front: `KSampler (3), seed: must be at least 0`. */
export function locatedLine({ node, ...error }: RunError): string {
  return node === undefined ? error.message : nodeErrorLine({ ...error, node })
}

/** A run, kept up to date. */
export function useRun(runId: string) {
  const { client } = useApp()
  return useQuery(runQuery(client, runId))
}
