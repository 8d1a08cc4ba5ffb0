/** Ground: ridges in the haze, dunes, meadows, woods. */
import { at, clouds, crests, noise, step } from './chance.ts'
import { between, cover, dim, hex, type Rgb } from './colour.ts'
import type { Place } from './lexicon.ts'
import { alongWidth, type Layer, type Stage } from './stage.ts'

const EDGE = 0.0018

const NEAR: Partial<Readonly<Record<Place, string>>> = {
  hills: '4f7a3c',
  mountains: '3f4a4f',
  sea: '3d4a46',
  lake: '3b5a44',
  forest: '24402f',
  meadow: '5d8f3e',
  desert: 'c98a4b',
}

/** Ridges one behind the other, paler with distance. @param rise how high they are, in heights of the picture */
export function ridges(stage: Stage, { count, rise, sharp }: { count: number; rise: number; sharp: boolean }): Layer {
  const { look, light, seed, aspect, horizon } = stage
  const isSnowy = look.traits.has('snow')
  const ground = between(isSnowy ? hex('dfe8ee') : hex(NEAR[look.place] ?? '4a5a4a'), look.accents[1], look.tint * 0.5)
  const snow: Rgb = between([0.95, 0.97, 1], light.horizon, 0.2)
  const lines = Array.from({ length: count }, (_, index) => {
    const depth = (index + 1) / count
    const base = horizon + (depth - 1 / count) * 0.34
    const amount = rise * (1 - 0.55 * depth)
    const crest = alongWidth(aspect, (u) => {
      const x = u * (1.1 + depth * 1.6) + index * 13.7
      return base - amount * (sharp ? crests(x, seed + index) : clouds(x, index, seed + index, 3) * 0.9)
    })
    const near = between(between(light.horizon, light.shade, 0.45), ground, 0.25 + 0.75 * depth)
    const colour = between(near, light.shade, (1 - light.level) * 0.7 * depth)
    return { depth, crest, colour, amount }
  })
  return (pixel, u, v) => {
    for (let index = firstSeen(lines, u, v); index < lines.length; index += 1) {
      const { depth, crest, colour, amount } = lines[index] as (typeof lines)[number]
      const below = v - crest(u)
      if (below <= -EDGE) continue
      const cover1 = Math.min(1, (below + EDGE) / (2 * EDGE))
      const grain = 0.86 + 0.28 * clouds(u * 26, v * 34 + depth * 9, seed + 5, 3)
      const lit: Rgb = [colour[0] * grain, colour[1] * grain, colour[2] * grain]
      if (sharp && depth < 0.8) {
        const cap = 1 - step(amount * 0.12, amount * 0.34, below + (noise(u * 40, v * 40, seed + 3) - 0.5) * 0.05)
        cover(lit, snow, cap * (isSnowy ? 0.95 : 0.55) * (0.4 + 0.6 * light.level))
      }
      // Haze lies in the valleys.
      cover(lit, light.horizon, 0.3 * (1 - depth) * step(0, 0.2, below))
      cover(pixel, lit, cover1)
    }
  }
}

/** The last line that covers a point wholly: those before it need not be painted. */
function firstSeen(lines: readonly { readonly crest: (u: number) => number }[], u: number, v: number): number {
  for (let index = lines.length - 1; index > 0; index -= 1)
    if (v - (lines[index] as (typeof lines)[number]).crest(u) >= EDGE) return index
  return 0
}

/** Dunes: soft lines with a lit and a shaded side. */
export function dunes(stage: Stage): Layer {
  const { light, look, seed, aspect, horizon, sun } = stage
  const sand = between(hex('d9a05b'), look.accents[0], look.tint * 0.8)
  const lines = Array.from({ length: 5 }, (_, index) => {
    const crest = alongWidth(
      aspect,
      (u) => horizon + index * 0.1 - 0.17 * noise(u * (1.3 + index * 0.2) + index * 7.3, index, seed + index),
    )
    return { crest, depth: (index + 1) / 5 }
  })
  return (pixel, u, v) => {
    for (let index = firstSeen(lines, u, v); index < lines.length; index += 1) {
      const { crest, depth } = lines[index] as (typeof lines)[number]
      const below = v - crest(u)
      if (below <= -EDGE) continue
      const slope = (crest(u + 0.01) - crest(u - 0.01)) * 28 * (sun.u < aspect / 2 ? 1 : -1)
      const ripple = 0.96 + 0.08 * Math.sin(below * 260 + 6 * noise(u * 7, v * 7, seed))
      const shade = (0.62 + 0.38 * step(-0.9, 0.7, slope)) * ripple * (0.35 + 0.65 * light.level)
      const lit: Rgb = [sand[0] * shade, sand[1] * shade, sand[2] * shade]
      cover(lit, light.horizon, 0.55 * (1 - depth))
      cover(pixel, lit, Math.min(1, (below + EDGE) / (2 * EDGE)))
    }
  }
}

/** Flowers on the ground, larger where they are near. */
export function flowers(stage: Stage): Layer {
  const { look, light, seed } = stage
  const start = stage.horizon + 0.12
  const colours = [...look.accents, hex('fff4e0'), hex('f4d03f')]
  return (pixel, u, v) => {
    const near = (v - start) / (1 - start)
    if (near <= 0) return
    // Rows that grow towards the viewer: the logarithm makes their heights the same.
    const row = Math.floor(Math.log(0.12 + near) * 16)
    const size = (0.12 + near) * 0.05
    const column = Math.floor(u / size + at(row, 1, seed))
    if (at(column, row, seed + 41) < 0.45) return
    const middleU = (column + 0.5 - at(row, 1, seed) + 0.5 * (at(column, row, seed + 42) - 0.5)) * size
    const middleV = start + (Math.exp((row + 0.5) / 16) - 0.12) * (1 - start)
    const distance = Math.hypot(u - middleU, (v - middleV) * 1.3) / (size * (0.2 + 0.16 * at(column, row, seed + 43)))
    if (distance > 1) return
    const colour: Rgb = [...(colours[Math.floor(at(column, row, seed + 44) * colours.length)] ?? [1, 1, 1])]
    dim(colour, (0.45 + 0.55 * light.level) * (1 - 0.35 * distance))
    cover(pixel, colour, step(1, 0.8, distance))
  }
}

/** Firs one behind the other. */
export function firs(stage: Stage): Layer {
  const { light, look, seed, horizon } = stage
  const green = between(look.traits.has('snow') ? hex('8fa6a8') : hex('1f4a34'), look.accents[1], look.tint * 0.4)
  const rows = Array.from({ length: 5 }, (_, index) => {
    const depth = (index + 1) / 5
    const colour = between(between(light.horizon, light.shade, 0.35), green, depth)
    return {
      depth,
      colour: between(colour, light.shade, (1 - light.level) * 0.75),
      base: horizon + 0.02 + 0.5 * depth ** 1.5,
    }
  })
  return (pixel, u, v) => {
    for (const { depth, colour, base } of rows) {
      const width = 0.035 + 0.1 * depth
      let inside = v > base ? 1 : 0
      for (let side = -1; side <= 1 && inside === 0; side += 1) {
        const index = Math.floor(u / width) + side
        const middle = (index + 0.5 + 0.5 * (at(index, 1, seed + depth * 100) - 0.5)) * width
        const height = (0.16 + 0.3 * depth) * (0.6 + 0.6 * at(index, 2, seed + depth * 100))
        const down = (v - (base - height)) / height
        if (down <= 0) continue
        // Branches: the width jumps back at each of them.
        const branch = (down * 9) % 1
        if (Math.abs(u - middle) < width * (0.06 + 0.5 * down) * (0.62 + 0.38 * branch)) inside = 1
      }
      if (inside === 0) continue
      const shade = 0.78 + 0.44 * clouds(u * 34, v * 26, seed + 9, 3)
      cover(pixel, [colour[0] * shade, colour[1] * shade, colour[2] * shade], 0.97)
    }
  }
}
