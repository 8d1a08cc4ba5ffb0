/** Numbers that look like chance and are always the same for the same place. */

/** A whole number of 32 bits from a text. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return mix(hash)
}

/** Mixes the bits of a number, so that neighbours have nothing in common. */
export function mix(value: number): number {
  let bits = value | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x7feb352d)
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b)
  return (bits ^ (bits >>> 16)) >>> 0
}

/** A number from 0 to 1 of a place on a grid. */
export function at(x: number, y: number, seed: number): number {
  return mix(Math.imul(x, 0x27d4eb2d) ^ Math.imul(y, 0x165667b1) ^ seed) / 0x100000000
}

/** Smooth noise from 0 to 1; its bumps are one unit wide. */
export function noise(x: number, y: number, seed: number): number {
  // No pairs here and below, as this is done a hundred times for a pixel.
  const left = Math.floor(x)
  const top = Math.floor(y)
  const u = smooth(x - left)
  const v = smooth(y - top)
  const upper = at(left, top, seed) * (1 - u) + at(left + 1, top, seed) * u
  const lower = at(left, top + 1, seed) * (1 - u) + at(left + 1, top + 1, seed) * u
  return upper * (1 - v) + lower * v
}

/** Noise with finer and finer bumps, from 0 to 1. */
export function clouds(x: number, y: number, seed: number, octaves = 5): number {
  let sum = 0
  let weight = 0.5
  let scale = 1
  for (let octave = 0; octave < octaves; octave += 1) {
    sum += weight * noise(x * scale, y * scale, seed + octave * 101)
    weight *= 0.5
    scale *= 2.03
  }
  return sum / (1 - 2 * weight)
}

/** Noise with sharp crests, from 0 to 1, as mountains have them. */
export function crests(x: number, seed: number, octaves = 5): number {
  let [sum, weight, scale] = [0, 0.5, 1]
  for (let octave = 0; octave < octaves; octave += 1) {
    sum += weight * (1 - Math.abs(2 * noise(x * scale, 0.5, seed + octave * 57) - 1))
    weight *= 0.48
    scale *= 2.1
  }
  return sum / (0.5 * ((1 - 0.48 ** octaves) / 0.52))
}

const smooth = (t: number) => t * t * (3 - 2 * t)

/** From 0 below `from` to 1 above `to`, smoothly. */
export function step(from: number, to: number, value: number): number {
  const t = Math.min(1, Math.max(0, (value - from) / (to - from)))
  return t * t * (3 - 2 * t)
}
