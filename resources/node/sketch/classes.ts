/** The classes of the stand-in, as the built-in definitions have them. */
import { readFileSync } from 'node:fs'
import { parseJson } from '../../../src-main/domain/workflow/json/parse.ts'
import { isObject } from '../../../src-main/domain/workflow/json/value.ts'
import { type NodeTypes, readNodeTypes } from '../../../src-main/domain/workflow/node-types.ts'

/** Reads them. */
export function readClasses(): NodeTypes {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
  const names = JSON.parse(read('classes.json')) as readonly string[]
  const all = parseJson(read('../../node-types.json'))
  if (all.kind === 'fault' || !isObject(all.value)) throw new Error('node-types.json cannot be read')
  const types = readNodeTypes(new Map([...all.value].filter(([name]) => names.includes(name))))
  const missing = names.filter((name) => !types.has(name))
  if (missing.length > 0) throw new Error(`node-types.json has no ${missing.join(', ')}`)
  return types
}
