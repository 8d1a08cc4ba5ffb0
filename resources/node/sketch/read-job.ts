/** The input of a job: a workflow, and pictures that it reads. The sentences are those of the public image worker. */
import { parseJson } from '../../../src-main/domain/workflow/json/parse.ts'
import {
  asText,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
} from '../../../src-main/domain/workflow/json/value.ts'

/** What a job asks for. */
export type ImageJob = {
  readonly workflow: JsonObject
  readonly files: ReadonlyMap<string, Uint8Array>
}

/** An input that is none; the text says what is wrong. */
export class InputError extends Error {}

/** Reads an input. @param text its JSON as it came, as seeds are no doubles @throws InputError */
export function readJob(text: string): ImageJob {
  const input = unwrap(parsed(text))
  if (!isObject(input)) throw new InputError('Please provide input')
  const workflow = input.get('workflow')
  if (workflow === undefined || workflow === null) throw new InputError("Missing 'workflow' parameter")
  if (!isObject(workflow)) throw new InputError('This is not a workflow payload. Send {id: {class_type, inputs}}.')
  return { workflow, files: filesIn(input.get('images')) }
}

// Some clients send the input as a text.
const unwrap = (input: JsonValue): JsonValue => (typeof input === 'string' ? parsed(input) : input)

function parsed(text: string): JsonValue {
  const read = parseJson(text)
  if (read.kind === 'fault') throw new InputError('Invalid JSON format in input')
  return read.value
}

function filesIn(images: JsonValue | undefined): ReadonlyMap<string, Uint8Array> {
  const wrong = () => new InputError("'images' must be a list of objects with 'name' and 'image' keys")
  if (images === undefined || images === null) return new Map()
  if (!isArray(images)) throw wrong()
  return new Map(
    images.map((item) => {
      const [name, image] = isObject(item) ? [asText(item.get('name')), asText(item.get('image'))] : []
      if (name === undefined || image === undefined) throw wrong()
      // A data URI begins with what is not base64, up to the first comma.
      return [name, Buffer.from(image.slice(image.indexOf(',') + 1), 'base64')]
    }),
  )
}
