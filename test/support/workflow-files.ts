/**
 * Workflow files for tests: those of users, read in place where the folder is there, and what tests write themselves.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { typesIn } from '../../src-main/features/workflows/rules/classes-file.ts'
import { type NodeTypes, readNodeTypes } from '../../src-main/features/workflows/rules/node-types.ts'
import { faultText, readJson } from '../../src-main/lib/json/parse.ts'
import { isObject, type JsonObject, type JsonValue } from '../../src-main/lib/json/value.ts'

const SHARED = join(import.meta.dirname, '..', '..', '..', 'shared')
const FOLDER = join(SHARED, 'workflows')
const TYPES = join(SHARED, 'spec', 'node-types.json')

/** Why files of users cannot be read here; undefined: they can. */
export const noWorkflowFiles: string | undefined = existsSync(FOLDER)
  ? undefined
  : 'the folder with real workflow files is not there; the rules are tested with files of our own'

/** Names of the files of users; none where the folder is missing. */
export const workflowFiles: readonly string[] =
  noWorkflowFiles === undefined ? readdirSync(FOLDER).filter((name) => name.endsWith('.json')) : []

/** Reads one of them. */
export const readWorkflowFile = (name: string): string => readFileSync(join(FOLDER, name), 'utf8')

/** JSON that must be an object. */
export function objectOf(text: string): JsonObject {
  const value = readValue(text)
  if (!isObject(value)) throw new Error('it is no object')
  return value
}

/** A value of JavaScript as JSON that keeps all. */
export const json = (value: unknown): JsonValue => readValue(JSON.stringify(value))

function readValue(text: string): JsonValue {
  const read = readJson(text)
  if ('fault' in read) throw new Error(faultText(read.fault))
  return read.value
}

/** Classes that the specification lists, where it is there. */
export function specifiedTypes(): NodeTypes {
  const types = objectOf(readFileSync(TYPES, 'utf8')).get('types')
  return readNodeTypes(isObject(types) ? types : new Map())
}

let bundled: NodeTypes | undefined

/** The classes that the product brings along. */
export function bundledTypes(): NodeTypes {
  const path = join(import.meta.dirname, '..', '..', 'resources', 'node-types.json')
  bundled ??= typesIn(readFileSync(path, 'utf8'))
  return bundled
}

/** Some of them by name. */
export const bundledTypesOf = (...names: readonly string[]): NodeTypes =>
  new Map([...bundledTypes()].filter(([name]) => names.includes(name)))
