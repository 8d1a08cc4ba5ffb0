/** Places without a ground: space, the sea from below, and none at all. */
import { clouds, noise, step } from './chance.ts'
import { between, cover, dim, hex, type Rgb, shine } from './colour.ts'
import { stars } from './sky.ts'
import type { Layer, Stage } from './stage.ts'

/** Clouds of gas, stars and a planet. */
export function space(stage: Stage): Layer {
  const { look, seed, sun, spot, aspect } = stage
  const [first, second] = look.accents
  const many = stars({ ...stage, horizon: 4 }, 1)
  const planet = { u: aspect - spot.u, v: 0.72 - 0.35 * sun.v, size: 0.12 + 0.35 * sun.size * 6 * 0.4 }
  return (pixel, u, v) => {
    cover(pixel, [0.015, 0.016, 0.045], 1)
    const warp = clouds(u * 1.7, v * 1.7, seed + 61)
    const gas = clouds(u * 2.3 + warp * 2.2, v * 2.3 - warp * 1.4, seed + 62)
    shine(pixel, first, step(0.42, 0.85, gas) * 0.95)
    shine(pixel, second, step(0.5, 0.8, clouds(u * 3 - warp, v * 3 + gas, seed + 63)) * 0.6)
    dim(pixel, 1 - 0.75 * step(0.52, 0.74, clouds(u * 4 + gas * 2, v * 4, seed + 64)))
    many(pixel, u, v)
    const distance = Math.hypot(u - planet.u, v - planet.v) / planet.size
    if (distance < 1.06) {
      const bands = clouds(u * 3 + v * 2, v * 17 + noise(u * 6, v * 6, seed) * 2, seed + 65, 4)
      const surface = between(between(first, [0.9, 0.85, 0.75], 0.5), second, bands)
      const side = ((u - planet.u) * (sun.u - planet.u) + (v - planet.v) * (sun.v - planet.v)) / planet.size
      dim(surface, Math.max(0.03, 0.25 + side * 1.1 + 0.55 * Math.sqrt(Math.max(0, 1 - distance * distance))))
      cover(pixel, surface, step(1.01, 0.99, distance))
      shine(pixel, between(first, [1, 1, 1], 0.5), 0.25 * step(1.06, 1, distance) * step(0.9, 1, distance))
    }
  }
}

/** The sea from below: rays, and bubbles. */
export function underwater({ look, light, seed, sun }: Stage): Layer {
  const top = between(hex('4fd0d8'), look.accents[0], look.tint)
  const deep = between(hex('06283f'), light.shade, 0.3)
  return (pixel, u, v) => {
    cover(pixel, top, 1)
    cover(pixel, deep, step(0, 1.05, v) ** 0.8)
    const ray = noise((u - sun.u) / (0.35 + v * 0.55) / 0.09, 0.5, seed + 71)
    shine(pixel, [0.75, 0.95, 0.9], 0.34 * step(0.45, 0.95, ray) * (1 - v) * light.level ** 0.3)
    const floor = 0.84 + 0.1 * clouds(u * 2.5, 1, seed + 72, 3)
    if (v > floor) {
      const sand = between(hex('c9b98a'), deep, 0.45)
      dim(sand, 0.75 + 0.5 * clouds(u * 18, v * 30, seed + 73, 3))
      cover(pixel, sand, step(floor, floor + 0.01, v) * 0.85)
    }
    const reef = 0.9 - 0.3 * clouds(u * 3.2, 2, seed + 74) ** 2 - 0.06 * noise(u * 40, 3, seed + 75)
    if (v > reef) {
      const branches = clouds(u * 16 + 2 * noise(u * 9, v * 9, seed), v * 11, seed + 76)
      const coral = between(look.accents[0], look.accents[1], step(0.35, 0.65, branches))
      dim(coral, 0.25 + 0.85 * step(0.3, 0.7, clouds(u * 30, v * 24, seed + 77)))
      cover(pixel, between(coral, deep, 0.3), step(reef, reef + 0.006, v) * 0.92)
    }
  }
}

/** Colours that flow into each other. */
export function abstract({ look, light, seed, drift }: Stage): Layer {
  const colours = [...look.accents, light.horizon, light.zenith, light.beam]
  const found: Rgb = [0, 0, 0]
  return (pixel, u, v) => {
    const first = clouds(u * 1.6 + drift, v * 1.6, seed + 81, 4)
    const second = clouds(u * 1.8 + 3.2 * first, v * 1.8 - 2.4 * first, seed + 82, 4)
    const place = Math.min(0.9999, Math.max(0, (second - 0.18) * 1.55)) * (colours.length - 1)
    const left = Math.floor(place)
    cover(found, colours[left] ?? light.horizon, 1)
    cover(found, colours[left + 1] ?? light.beam, step(0.1, 0.9, place - left))
    const fold = Math.abs(Math.sin((first * 3 + second * 5) * 4.2))
    dim(found, 0.72 + 0.38 * fold)
    shine(found, [1, 1, 1], 0.16 * step(0.93, 1, fold))
    cover(pixel, found, 1)
  }
}
