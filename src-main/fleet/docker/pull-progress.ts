import type { EngineTold } from './engine-stream.ts'

type Layer = {
  readonly state: 'waits' | 'comes' | 'is here' | 'is unpacked'
  readonly has: number
  readonly of: number
}

// What the engine says of a layer, in its own words; anything else is no news of one.
const STATES: Readonly<Record<string, Layer['state']>> = {
  'Pulling fs layer': 'waits',
  Waiting: 'waits',
  Downloading: 'comes',
  'Verifying Checksum': 'is here',
  'Download complete': 'is here',
  Extracting: 'is here',
  'Pull complete': 'is unpacked',
  'Already exists': 'is unpacked',
}

const MB = 1e6
const GB = 1e9

/**
 * Follows a pull and puts it into words: `pulling python:3.12-slim: 45 %, 120 of 260 MB`. The size of a layer is known
 * when it begins to come, so there is no percentage before the last one has begun.
 * @returns a function that gives the words after each thing told; undefined while they stay the same
 */
export function createPullProgress(image: string): (told: EngineTold) => string | undefined {
  const layers = new Map<string, Layer>()
  let before = ''
  return ({ id, status, progressDetail }) => {
    const state = STATES[status ?? '']
    if (id === undefined || state === undefined) return undefined
    const { has, of } = layers.get(id) ?? { has: 0, of: 0 }
    const size = state === 'comes' ? (progressDetail?.total ?? of) : of
    layers.set(id, { state, has: state === 'comes' ? (progressDetail?.current ?? has) : size, of: size })
    const words = wordsOf(image, [...layers.values()])
    if (words === before) return undefined
    before = words
    return words
  }
}

function wordsOf(image: string, layers: readonly Layer[]): string {
  const unpacked = layers.filter(({ state }) => state === 'is unpacked').length
  const waiting = layers.filter(({ state }) => state === 'waits').length
  if (waiting === 0 && layers.every(({ state }) => state !== 'comes'))
    return `unpacking ${image}: ${unpacked} of ${layers.length} layers`
  const has = layers.reduce((sum, layer) => sum + layer.has, 0)
  const of = layers.reduce((sum, layer) => sum + layer.of, 0)
  if (of === 0) return `pulling ${image}`
  if (waiting > 0) return `pulling ${image}: ${amounts(has, of, 'at least ')}`
  return `pulling ${image}: ${Math.floor((100 * has) / of)} %, ${amounts(has, of, '')}`
}

// Decimal units, as registries show them.
function amounts(has: number, of: number, least: string): string {
  const [unit, name, digits] = of >= GB ? ([GB, 'GB', 1] as const) : ([MB, 'MB', of < 10 * MB ? 1 : 0] as const)
  return `${(has / unit).toFixed(digits)} of ${least}${(of / unit).toFixed(digits)} ${name}`
}
