import { readFileSync } from 'node:fs'
import { readClassesFile } from '../../../src-main/features/workflows/rules/classes-file.ts'
import {
  type NodeTypes,
  type ProposedLists,
  readNodeTypes,
  withLists,
} from '../../../src-main/features/workflows/rules/node-types.ts'

// There are no weights: any name is accepted, and changes the colours a little.
type OwnClasses = { readonly classes: readonly string[]; readonly lists: ProposedLists }

export function readClasses(): NodeTypes {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
  const { classes, lists } = JSON.parse(read('classes.json')) as OwnClasses
  const all = readClassesFile(read('../../node-types.json'))
  if (typeof all === 'string') throw new Error(`node-types.json ${all}`)
  const own = new Map([...all.classes].filter(([name]) => classes.includes(name)))
  const types = readNodeTypes(withLists(own, lists))
  const missing = classes.filter((name) => !types.has(name))
  if (missing.length > 0) throw new Error(`node-types.json has no ${missing.join(', ')}`)
  return types
}
