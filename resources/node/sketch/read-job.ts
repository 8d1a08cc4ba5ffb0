import { workflowOf } from '../../../src-main/features/workflows/rules/recognise.ts'
import { parseJson } from '../../../src-main/lib/json/parse.ts'
import { asText } from '../../../src-main/lib/json/plain.ts'
import { isArray, isObject, type JsonValue } from '../../../src-main/lib/json/value.ts'

export class InputError extends Error {}

/**
 * @param text the JSON as received, since seeds exceed doubles
 * @throws InputError
 */
export function readJob(text: string) {
  const whole = parsed(text)
  const input = typeof whole === 'string' ? parsed(whole) : whole
  if (!isObject(input)) throw new InputError('Please provide input')
  const workflow = workflowOf(input)
  if (workflow === null) throw new InputError("Missing 'workflow' parameter")
  if (!isObject(workflow)) throw new InputError('This is not a workflow payload. Send {id: {class_type, inputs}}.')
  return { workflow, files: filesIn(input.get('images')) }
}

function parsed(text: string): JsonValue {
  const value = parseJson(text)
  if (value === undefined) throw new InputError('Invalid JSON format in input')
  return value
}

function filesIn(images: JsonValue | undefined): ReadonlyMap<string, Uint8Array> {
  const wrong = () => new InputError("'images' must be a list of objects with 'name' and 'image' keys")
  if (images === undefined || images === null) return new Map()
  if (!isArray(images)) throw wrong()
  return new Map(
    images.map((item) => {
      const [name, image] = isObject(item) ? [asText(item.get('name')), asText(item.get('image'))] : []
      if (name === undefined || image === undefined) throw wrong()
      return [name, Buffer.from(image.slice(image.indexOf(',') + 1), 'base64')]
    }),
  )
}
