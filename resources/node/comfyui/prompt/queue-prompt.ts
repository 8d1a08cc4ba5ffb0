import { withoutCacheNotes } from '../../../../src-main/features/workflows/rules/payload.ts'
import { recognise } from '../../../../src-main/features/workflows/rules/recognise.ts'
import { isArray, isObject, type JsonObject, type JsonValue, writeJson } from '../../../../src-main/lib/json/value.ts'
import { networkReason } from '../../../../src-main/lib/network-error.ts'
import { BridgeFailure, ServerLost } from '../failure.ts'
import {
  type Answer,
  askJson,
  askText,
  type ComfyServer,
  isGatewayError,
  jsonOf,
  noJsonSentence,
  shownText,
  statusSentence,
} from '../server/comfy-server.ts'
import { faultSentence, nodeFaults } from './node-errors.ts'
import { type Refusal, readRefusal, refusalFailure } from './refusal.ts'

// ms. Source: worker-comfyui, handler.py.
const QUEUE_MS = 30_000
const CLASSES_MS = 10_000

export type Prompt = {
  readonly workflow: JsonValue
  readonly clientId: string
  readonly comfyOrgKey: string | undefined
  readonly comfyOrgToken: string | undefined
  readonly extraPngInfo: JsonObject | undefined
}

/**
 * Queues a prompt with its numbers unchanged.
 * @throws BridgeFailure with the server's objections
 */
export async function queuePrompt(server: ComfyServer, prompt: Prompt) {
  const { workflow, clientId, comfyOrgKey, comfyOrgToken, extraPngInfo } = prompt
  const extra: JsonObject = new Map<string, JsonValue>([
    // Newer servers send previews for this prompt; older ones as they were started.
    ['preview_method', 'auto'],
    ...(comfyOrgKey === undefined ? [] : [['api_key_comfy_org', comfyOrgKey] as const]),
    ...(comfyOrgToken === undefined ? [] : [['auth_token_comfy_org', comfyOrgToken] as const]),
    ...(extraPngInfo === undefined ? [] : [['extra_pnginfo', extraPngInfo] as const]),
  ])
  // No `prompt_id` is sent: older servers and proxies choose their own, so the one in the answer is followed.
  const body = `{"prompt":${writeJson(isObject(workflow) ? withoutCacheNotes(workflow) : workflow)},"client_id":${JSON.stringify(clientId)},"extra_data":${writeJson(extra)}}`
  const answer = await post(server, body)
  const value = jsonOf(answer)
  if (answer.status === 400) {
    const refusal = withClass(readRefusal(value, shownText(answer.text)), workflow)
    throw refusalFailure(refusal, refusal.wantsCheckpoints ? await installedCheckpoints(server) : undefined)
  }
  const refused = `Error queuing workflow: ${statusSentence(answer)}${hint(workflow)}`
  if (isGatewayError(answer.status)) throw new ServerLost('with the prompt', refused)
  if (answer.status !== 200) throw new BridgeFailure(refused)
  const id = isObject(value) ? value.get('prompt_id') : undefined
  if (!isObject(value)) throw new ServerLost('before the prompt', noJsonSentence(server, answer))
  if (typeof id !== 'string' || id === '')
    throw new ServerLost('before the prompt', `Missing 'prompt_id' in queue response: ${shownText(answer.text)}`)
  const ignored = nodeFaults(value.get('node_errors'))
  return { id, leftOut: ignored.map((fault) => `The server ignored this: ${faultSentence(fault)}`) }
}

async function post(server: ComfyServer, body: string): Promise<Answer> {
  try {
    return await askText(server, { path: 'prompt', body, timeoutMs: QUEUE_MS })
  } catch (error) {
    throw new ServerLost('with the prompt', `Error queuing workflow: ${networkReason(error)}`, error)
  }
}

// The class is not always given; an id outside of the payload is not at fault.
function withClass(refusal: Refusal, workflow: JsonValue): Refusal {
  const { node, ...rest } = refusal.facts
  if (node === undefined) return refusal
  const name = at(workflow, [node, 'class_type'])
  if (typeof name === 'string') return { ...refusal, facts: { class: name, ...refusal.facts } }
  return { ...refusal, message: `${refusal.message}${hint(workflow)}`, facts: rest }
}

// The server fails on an invalid prompt with a bare 500.
function hint(workflow: JsonValue): string {
  const found = recognise(workflow)
  if (found.form === 'document')
    return '. The workflow is in the form that the editor saves; export it in API form and send that'
  if (found.form === 'other')
    return `. The workflow is ${found.found}; it must be an object of nodes with class_type and inputs`
  return ''
}

async function installedCheckpoints(server: ComfyServer): Promise<string[]> {
  try {
    const classes = await askJson(server, { path: 'object_info/CheckpointLoaderSimple', timeoutMs: CLASSES_MS })
    const [list] = asList(at(classes, ['CheckpointLoaderSimple', 'input', 'required', 'ckpt_name']))
    return asList(list).filter((name) => typeof name === 'string')
  } catch {
    return []
  }
}

function at(value: JsonValue, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((inner, key) => (isObject(inner) ? inner.get(key) : undefined), value)
}

const asList = (value: JsonValue | undefined): readonly JsonValue[] => (isArray(value) ? value : [])
