import { queryOptions } from '@tanstack/react-query'
import type { RunDetail } from '../../../../src-main/contract/workflows.ts'
import { parseJson } from '../../../../src-main/domain/workflow/json/parse.ts'
import { isObject, type JsonObject } from '../../../../src-main/domain/workflow/json/value.ts'
import type { ApiClient } from '../../../api-client/client.ts'

/** A run with its texts. Its payload never changes, so its texts are not walked through again. */
export const runQuery = (client: Pick<ApiClient, 'call'>, runId: string) =>
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
