import { type AppError, type ErrorCode, errorBody } from '../../../contract/errors.ts'
import type { Refusal } from './refusals.ts'

export type ComfyFailure = {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly details?: object
  readonly retryAfterSeconds?: number
}

// Source: ours; the API names no time.
const RETRY_SECONDS = 5

const KNOWN: Partial<Record<ErrorCode, Pick<ComfyFailure, 'status' | 'code'>>> = {
  UNAUTHORIZED: { status: 401, code: 'unauthorized' },
  ENDPOINT_PAUSED: { status: 422, code: 'deployment_stopped' },
  MODEL_NOT_INSTALLED: { status: 422, code: 'invalid_workflow' },
  NOT_A_WORKFLOW: { status: 422, code: 'invalid_workflow' },
  TAKES_NO_WORKFLOWS: { status: 422, code: 'invalid_workflow' },
  BODY_TOO_LARGE: { status: 413, code: 'payload_too_large' },
}

const OF_GRAPH: ReadonlySet<unknown> = new Set(['payload', 'images'])

export function comfyFailure(error: AppError): ComfyFailure {
  const { status, error: message, code } = errorBody(error)
  const known = KNOWN[code]
  if (known !== undefined) return { ...known, message }
  if (code === 'BAD_FIELD')
    return { status: 422, code: OF_GRAPH.has(error.data.field) ? 'invalid_workflow' : 'invalid_request', message }
  if (status === 403) return { status, code: 'forbidden', message }
  if (status === 404) return { status, code: 'not_found', message }
  if (status === 429)
    return { status, code: 'queue_full', message, retryAfterSeconds: Number(error.data.seconds ?? RETRY_SECONDS) }
  return { status, code: status < 500 ? 'invalid_request' : 'upstream_error', message }
}

export function refusedFailure({ error, node_errors: nodes }: Refusal): ComfyFailure {
  const { type, message, details } = error
  if (type === 'missing_asset') {
    const text = `${message}: ${details}`
    return { status: 422, code: 'missing_asset', message: text, details: { missing_ids: details.split(', ') } }
  }
  const nodeErrors = Object.entries(nodes).map(([id, node]) => {
    const told = node.errors.map((one) => ({
      ...{ field: one.extra_info.input_name ?? null, reason: one.type, message: one.details },
    }))
    return [id, told] as const
  })
  const [first] = nodeErrors
  const said = first?.[1][0]
  const text =
    said === undefined ? [message, details].filter(Boolean).join(': ') : `Node ${first?.[0]}: ${said.message}`
  return {
    ...{ status: 422, code: 'invalid_workflow', message: text },
    ...(nodeErrors.length === 0 ? {} : { details: { node_errors: Object.fromEntries(nodeErrors) } }),
  }
}

export const failureBody = ({ code, message, details = {} }: ComfyFailure) => ({
  error: { code, message, details: Object.keys(details).length === 0 ? null : details },
})

export function comfyErrorForm(error: AppError) {
  const failure = comfyFailure(error)
  return { status: failure.status, title: errorBody(error).title, ...failureBody(failure) }
}

const PATH = /^(?:\/api)?\/v2\/(?:jobs|assets|health)(?=[/?]|$)/

/** Other routes below /v2 belong to the native API. */
export const isComfyApiPath = (target: string): boolean => PATH.test(target)
