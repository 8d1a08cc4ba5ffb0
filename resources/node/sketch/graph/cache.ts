/** Values that the next job may need again: those of nodes whose inputs have not changed. */
import { createHash } from 'node:crypto'
import { writeJson } from '../../../../src-main/domain/workflow/json/value.ts'
import { type PayloadNode, readLink } from '../../../../src-main/domain/workflow/payload.ts'
import type { Value } from '../values.ts'

// Most that is kept, in bytes. Source: ours; some hundred pictures of 512 x 512.
const KEPT_BYTES = 384 * 1024 * 1024

/** Values by what they are made of. */
export type Cache = {
  readonly get: (key: string) => readonly Value[] | undefined
  readonly put: (key: string, values: readonly Value[]) => void
  /** Forgets what was not used since the last call. */
  readonly sweep: () => void
}

/** Makes an empty one. */
export function createCache(): Cache {
  const kept = new Map<string, readonly Value[]>()
  let used = new Set<string>()
  return {
    get(key) {
      const values = kept.get(key)
      if (values !== undefined) used.add(key)
      return values
    },
    put(key, values) {
      kept.set(key, values)
      used.add(key)
    },
    sweep() {
      const held = createTally()
      for (const [key, values] of [...kept].reverse()) {
        held.add(values)
        if (!used.has(key) || held.bytes() > KEPT_BYTES) kept.delete(key)
      }
      used = new Set()
    },
  }
}

/**
 * What the values of a node are made of: its class, its values, and the same of all that it takes from.
 * @param keys of the nodes before it @param file of those that read one, its content
 */
export function keyOf(node: PayloadNode, keys: ReadonlyMap<string, string>, file: Uint8Array | undefined): string {
  const hash = createHash('sha256').update(node.classType)
  for (const name of [...node.inputs.keys()].sort()) {
    const value = node.inputs.get(name) ?? null
    const link = readLink(value)
    const text = link === undefined ? writeJson(value) : `${keys.get(link.node) ?? ''} ${link.slot}`
    hash.update(`\0${name}\0${text}`)
  }
  if (file !== undefined) hash.update(file)
  return hash.digest('hex')
}

/** Counts what values take; what several share counts once. */
export type Tally = { readonly add: (values: readonly Value[]) => void; readonly bytes: () => number }

/** Begins to count. */
export function createTally(): Tally {
  const seen = new Set<Float32Array>()
  let bytes = 0
  return {
    add(values) {
      for (const part of values.flatMap(partsOf)) {
        if (seen.has(part)) continue
        seen.add(part)
        bytes += part.byteLength
      }
    },
    bytes: () => bytes,
  }
}

function partsOf(value: Value): readonly Float32Array[] {
  if (value.kind === 'IMAGE') return value.images.map(({ pixels }) => pixels)
  if (value.kind === 'MASK') return [value.mask.values]
  return value.kind === 'LATENT' ? value.latent.items.map(({ cells }) => cells) : []
}
