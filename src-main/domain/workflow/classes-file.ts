/**
 * Classes of nodes as a text: what `GET /object_info` answers, or a file that says of which version they are besides,
 * `{"version": "ComfyUI 0.33.0", "types": {...}}`. Source: ours; a version within the classes would be taken for one.
 */
import { parseJson } from './json/parse.ts'
import { isObject, type JsonObject } from './json/value.ts'
import { writeJson } from './json/write.ts'
import { type NodeTypes, readNodeTypes } from './node-types.ts'

/** Classes by name as they came, and of which version they are; undefined: nobody said. */
export type ClassesFile = { readonly version: string | undefined; readonly classes: JsonObject }

const WORDS = 60

/** Reads classes of either form. @returns why the text holds none, as the end of a sentence */
export function readClassesFile(text: string): ClassesFile | string {
  // As editors read it: a bound that is no number is none.
  const parsed = parseJson(text, { asNull: true })
  if (parsed.kind === 'fault') {
    const { why, line, column } = parsed.fault
    return `is no JSON (${why} in line ${line}, column ${column}); it begins with: ${text.trim().slice(0, WORDS)}`
  }
  const [version, types] = isObject(parsed.value) ? [parsed.value.get('version'), parsed.value.get('types')] : []
  const isFile = typeof version === 'string' && isObject(types)
  const classes = isFile ? types : parsed.value
  const isOne = isObject(classes) && [...classes.values()].some((one) => isObject(one) && isObject(one.get('input')))
  if (!isOne) return 'holds no class of nodes: it must be as GET /object_info of a ComfyUI server answers'
  return { version: isFile ? version : undefined, classes }
}

/** The classes in a text of either form; none where it holds none. */
export function typesIn(text: string): NodeTypes {
  const read = readClassesFile(text)
  return typeof read === 'string' ? new Map() : readNodeTypes(read.classes)
}

/** Writes classes with their version, one a line and by name, so that two versions can be compared. */
export function writeClassesFile({ version = 'not known', classes }: ClassesFile): string {
  const sorted = [...classes].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const lines = sorted.map(([name, type]) => `${JSON.stringify(name)}: ${writeJson(type)}`)
  return `{"version": ${JSON.stringify(version)}, "types": {\n${lines.join(',\n')}\n}}\n`
}
