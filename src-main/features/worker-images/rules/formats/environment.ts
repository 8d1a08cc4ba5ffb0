import type { LockedModel, LockedNodes, NodeSource, WorkflowLock } from '../../../../contract/worker-images.ts'
import { isRecord } from '../../../../lib/json/plain.ts'
import { plainAddress, type WantedSource } from '../source-address.ts'

export type ForeignNode = { readonly name: string; readonly source: WantedSource }

export type ForeignModel = Pick<LockedModel, 'folder' | 'name' | 'sizeBytes' | 'sha256' | 'source'>

export type Environment = {
  readonly comfyui?: string | undefined
  readonly python?: string | undefined
  readonly nodes: readonly ForeignNode[]
  readonly models: readonly ForeignModel[]
  readonly requirements: readonly string[]
}

export type Fields = Readonly<Record<string, unknown>>

export type Format = {
  readonly isOf: (data: Fields) => boolean
  readonly read: (data: Fields) => Environment
  readonly write: (
    lock: WorkflowLock,
    before: Fields | undefined,
    title: string,
  ) => { readonly data: unknown; readonly left: readonly string[] }
}

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined

export const recordsIn = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isRecord) : [])

export const sha256Of = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[0-9a-f]{64}$/i.test(value) ? value.toLowerCase() : undefined

export const sizeOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined

export function isSource(wanted: WantedSource, locked: NodeSource): boolean {
  if ('registry' in wanted)
    return 'registry' in locked && wanted.registry === locked.registry && wanted.version === locked.version
  if ('path' in wanted) return 'path' in locked && wanted.path === locked.path
  return (
    'repository' in locked &&
    plainAddress(wanted.repository) === plainAddress(locked.repository) &&
    wanted.ref === locked.commit
  )
}

export const pathOf = ({ folder, name }: Pick<LockedModel, 'folder' | 'name'>): string => `${folder}/${name}`

export function patched<Entry, Wanted>(
  entries: readonly Entry[],
  wanted: readonly Wanted[],
  {
    matches,
    isUnderstood,
    change,
    make,
  }: {
    readonly matches: (entry: Entry, one: Wanted) => boolean
    readonly isUnderstood: (entry: Entry) => boolean
    readonly change: (entry: Entry, one: Wanted) => Entry
    readonly make: (one: Wanted) => Entry
  },
): readonly Entry[] {
  const left = [...wanted]
  const kept = entries.flatMap((entry) => {
    if (!isUnderstood(entry)) return [entry]
    const at = left.findIndex((one) => matches(entry, one))
    const [one] = at < 0 ? [] : left.splice(at, 1)
    return one === undefined ? [] : [change(entry, one)]
  })
  return [...kept, ...left.map(make)]
}

export const pinsOf = ({ python }: WorkflowLock): readonly string[] =>
  python.map(({ name, version }) => `${name}==${version}`)

export const named = (nodes: readonly LockedNodes[]): readonly string[] => nodes.map(({ name }) => name)
