/** The classes of the stand-in, as the built-in definitions have them. */
import { readFileSync } from 'node:fs'
import { parseJson } from '../../../src-main/domain/workflow/json/parse.ts'
import { isObject } from '../../../src-main/domain/workflow/json/value.ts'
import {
  type NodeTypes,
  type ProposedLists,
  readNodeTypes,
  withLists,
} from '../../../src-main/domain/workflow/node-types.ts'

// There are no weights: the names that are proposed change the colours a little, as any other name does.
type OwnClasses = { readonly classes: readonly string[]; readonly lists: ProposedLists }

/** Reads them. */
export function readClasses(): NodeTypes {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
  const { classes, lists } = JSON.parse(read('classes.json')) as OwnClasses
  const all = parseJson(read('../../node-types.json'))
  if (all.kind === 'fault' || !isObject(all.value)) throw new Error('node-types.json cannot be read')
  const own = new Map([...all.value].filter(([name]) => classes.includes(name)))
  const types = readNodeTypes(withLists(own, lists))
  const missing = classes.filter((name) => !types.has(name))
  if (missing.length > 0) throw new Error(`node-types.json has no ${missing.join(', ')}`)
  return types
}
