/** Account keys in the input of image jobs, which only workers see. Source: worker-comfyui, handler.py. */
import { parseJson } from '../../../../lib/json/parse.ts'
import { isObject, type JsonValue, writeJson } from '../../../../lib/json/value.ts'

/** Names in the input, and in the `extra_data` of a ComfyUI prompt. The token in the input is ours. */
export const ACCOUNT_KEYS = [
  ['comfy_org_api_key', 'api_key_comfy_org'],
  ['comfy_org_auth_token', 'auth_token_comfy_org'],
] as const

type WithoutKeys = { readonly input: string; readonly secretInput: string }

/**
 * @param input JSON of the input, or of a text that is such JSON
 * @returns undefined if it has no keys
 */
export function withoutAccountKeys(input: string): WithoutKeys | undefined {
  if (!ACCOUNT_KEYS.some(([name]) => input.includes(name))) return undefined
  const value = parseJson(input)
  if (typeof value !== 'string') return splitKeys(value)
  const inner = splitKeys(parseJson(value))
  return inner && { ...inner, input: JSON.stringify(inner.input) }
}

function splitKeys(input: JsonValue | undefined): WithoutKeys | undefined {
  if (!isObject(input)) return undefined
  const names: readonly string[] = ACCOUNT_KEYS.map(([name]) => name)
  const keys = [...input].filter(([name, value]) => names.includes(name) && typeof value === 'string')
  if (keys.length === 0) return undefined
  const secrets = new Map(keys)
  const rest = new Map([...input].filter(([name]) => !secrets.has(name)))
  return { input: writeJson(rest), secretInput: writeJson(secrets) }
}
