import { limit } from '../../../contract/limits.ts'
import { asText, isRecord, plainJson } from '../../../lib/json/plain.ts'
import type { ComfyFailure } from './comfy-error.ts'
import { COMFY_STATES, type ComfyState } from './comfy-job.ts'

const invalid = (message: string, status = 422): ComfyFailure => ({ status, code: 'invalid_request', message })

const KEY_LENGTH = 255
const [MOST_LABELS, METADATA_BYTES] = [16, 1024]
// Source: comfy-api-proxy 0.1.6.
const PRIORITY_MOST = 1_000_000

export type ComfySubmission = {
  readonly graph: string
  /** JSON of an object, like the graph; the metadata is JSON too. */
  readonly extraData: string | undefined
  readonly idempotencyKey: string | undefined
  readonly priority: number | undefined
  readonly metadata: string | undefined
}

export function readSubmission(
  field: (name: string) => string | undefined,
  inGraph: (name: string) => string | undefined,
  idempotencyKey: string | undefined,
): ComfySubmission | ComfyFailure {
  const graph = field('workflow')
  for (const name of ['webhook_url', 'inputs']) {
    const value = field(name) ?? 'null'
    if (value !== 'null') return unusable(`${name} is reserved and not accepted.`)
  }
  if (graph?.startsWith('{') !== true) return unusable('workflow: must be a graph in the API format.')
  if (inGraph('nodes')?.startsWith('[') === true && inGraph('links') !== undefined) return UI_FORMAT
  if (idempotencyKey !== undefined && (idempotencyKey === '' || idempotencyKey.length > KEY_LENGTH))
    return invalid(`Idempotency-Key must have 1 to ${KEY_LENGTH} characters.`, 400)
  const extraData = given(field('extra_data'))
  const wrong = extraData === undefined ? undefined : problemOfExtra(plainJson(extraData))
  if (wrong !== undefined) return invalid(wrong, 400)
  const metadata = given(field('metadata'))
  const metadataProblem = metadata === undefined ? undefined : problemOfMetadata(plainJson(metadata))
  if (metadata !== undefined && metadataProblem !== undefined)
    return { status: 422, code: 'metadata_invalid', message: metadataProblem }
  const priority = readPriority(given(field('priority')))
  if (typeof priority === 'object') return priority
  return { graph, extraData, idempotencyKey, priority, metadata }
}

const given = (json: string | undefined) => (json === 'null' ? undefined : json)

const unusable = (message: string): ComfyFailure => ({ status: 422, code: 'invalid_workflow', message })

const UI_FORMAT: ComfyFailure = {
  ...{ status: 422, code: 'workflow_format_ui' },
  message: 'This graph is in the format of the editor. Export it in the API format.',
}

function problemOfExtra(extra: unknown): string | undefined {
  const names = isRecord(extra) ? Object.keys(extra) : ['']
  if (names.some((name) => name !== 'api_key_comfy_org')) return 'extra_data accepts only api_key_comfy_org.'
  return isRecord(extra) && (extra.api_key_comfy_org === undefined || typeof extra.api_key_comfy_org === 'string')
    ? undefined
    : 'extra_data.api_key_comfy_org must be a string.'
}

// Labels by name as comfy-sdk sends them, or one text as comfy-api-proxy takes it.
function problemOfMetadata(metadata: unknown): string | undefined {
  if (!isRecord(metadata) && typeof metadata !== 'string') return 'metadata must be an object of strings.'
  if (isRecord(metadata)) {
    const labels = Object.entries(metadata)
    if (labels.length > MOST_LABELS) return `metadata has ${labels.length} labels, and the limit is ${MOST_LABELS}.`
    const wrong = labels.find(([, value]) => typeof value !== 'string')
    if (wrong !== undefined) return `metadata.${wrong[0].slice(0, 100)} must be a string.`
  }
  const length = JSON.stringify(metadata).length
  return length > METADATA_BYTES * 4
    ? `metadata has ${length} characters, and the limit is ${METADATA_BYTES * 4}.`
    : undefined
}

function readPriority(json: string | undefined): number | undefined | ComfyFailure {
  if (json === undefined) return undefined
  const priority = Number(json)
  if (!/^-?\d+$/.test(json) || Math.abs(priority) > PRIORITY_MOST)
    return invalid(`priority must be a whole number from ${-PRIORITY_MOST} to ${PRIORITY_MOST}.`)
  return Math.max(limit('priorityMin'), Math.min(limit('priorityMax'), priority))
}

const LIST = { usual: 50, most: 100 }

export function readAskedJobs(query: Readonly<Record<string, string>>) {
  const { limit: most = String(LIST.usual), status, cursor } = query
  if (!/^\d{1,4}$/.test(most) || Number(most) < 1 || Number(most) > LIST.most)
    return invalid(`limit must be a whole number from 1 to ${LIST.most}.`, 400)
  const names = status?.split(',').map((name) => name.trim())
  const states = names?.filter((name): name is ComfyState => (COMFY_STATES as readonly string[]).includes(name))
  if (states?.length !== names?.length) return invalid(`status must be one of ${COMFY_STATES.join(', ')}.`, 400)
  const labels = Object.entries(query).flatMap(([name, value]) => {
    const label = /^metadata\[(.*)\]$/s.exec(name)?.[1]
    return label === undefined ? [] : [[label, value] as const]
  })
  return { states, cursor, limit: Number(most), labels: Object.fromEntries(labels) }
}

const [SHORTEST, LONGEST] = [60, 604_800]

export function readAssetFields(
  field: (name: string) => unknown,
  file?: { readonly name: string; readonly type: string },
) {
  const filePath = asText(field('file_path')) ?? file?.name ?? ''
  if ((file !== undefined && filePath === '') || filePath.length > 1000)
    return invalid('file_path: must be the path of a file.')
  const hash = asText(field('expected_hash'))
  const expected = hash === undefined ? undefined : /^blake3:([0-9a-f]{64})$/i.exec(hash)?.[1]?.toLowerCase()
  if (hash !== undefined && expected === undefined) return invalid('The hash must have the form blake3:HEX.')
  const seconds = field('expires_in') ?? undefined
  const expiresInSeconds = seconds === undefined ? undefined : Number(seconds)
  if (expiresInSeconds !== undefined && !(expiresInSeconds >= SHORTEST && expiresInSeconds <= LONGEST))
    return invalid(`expires_in must be from ${SHORTEST} to ${LONGEST} seconds.`)
  const contentType = asText(field('content_type')) ?? file?.type ?? ''
  return {
    ...{ filePath, expected },
    expiresInSeconds: expiresInSeconds === undefined ? undefined : Math.round(expiresInSeconds),
    contentType: /^[\w.+-]+\/[\w.+-]+$/.test(contentType) ? contentType : 'application/octet-stream',
  }
}
