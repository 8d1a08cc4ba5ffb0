import { workflowOf } from '../../../../src-main/features/workflows/rules/recognise.ts'
import { parseJson } from '../../../../src-main/lib/json/parse.ts'
import { isArray, isObject, type JsonValue } from '../../../../src-main/lib/json/value.ts'
import { BridgeFailure } from '../failure.ts'

export type InputImage = { readonly name: JsonValue; readonly image: JsonValue }

export type BridgeInput = Readonly<ReturnType<typeof readInput>>

/**
 * Parses a job's input, also given as a JSON string; errors match the public image worker.
 * @param text JSON with its numbers unchanged
 * @throws BridgeFailure
 */
export function readInput(text: string) {
  const sent = parseJson(text) ?? null
  if (sent === null) throw new BridgeFailure('Please provide input')
  const input = typeof sent === 'string' ? parseJson(sent) : sent
  if (input === undefined) throw new BridgeFailure('Invalid JSON format in input')
  // The public worker fails here with a Python error.
  if (!isObject(input)) throw new BridgeFailure("'input' must be an object with the key 'workflow'")
  const workflow = workflowOf(input)
  if (workflow === null) throw new BridgeFailure("Missing 'workflow' parameter")
  const keyIn = (name: string) => {
    const key = input.get(name)
    return typeof key === 'string' && key !== '' ? key : undefined
  }
  const extra = input.get('extra_pnginfo')
  return {
    workflow,
    images: readImages(input.get('images') ?? null),
    comfyOrgKey: keyIn('comfy_org_api_key'),
    comfyOrgToken: keyIn('comfy_org_auth_token'),
    /** Embedded in output files: the editor's graph, under `workflow`. */
    extraPngInfo: isObject(extra) ? extra : undefined,
    /** Whether temporary files are wanted too, which the public image worker leaves out. */
    wantsPreviews: input.get('previews') === true,
  }
}

function readImages(images: JsonValue): InputImage[] {
  if (images === null) return []
  const read = isArray(images) ? images.map(readImage) : [undefined]
  if (!read.every((image) => image !== undefined))
    throw new BridgeFailure("'images' must be a list of objects with 'name' and 'image' keys")
  return read
}

function readImage(value: JsonValue): InputImage | undefined {
  if (!isObject(value)) return undefined
  const [name, image] = [value.get('name'), value.get('image')]
  return name === undefined || image === undefined ? undefined : { name, image }
}
