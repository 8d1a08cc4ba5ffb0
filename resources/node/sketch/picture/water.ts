/** Water: it mirrors what stands above it, broken by waves. */
import { noise, step } from './chance.ts'
import { between, cover, hex, type Rgb, shine } from './colour.ts'
import type { Layer, Stage } from './stage.ts'

/**
 * Water from a line on.
 * @param above all that it mirrors
 * @param rough 0 for a lake, 1 for the sea
 */
export function water(stage: Stage, above: Layer, { from, rough }: { from: number; rough: number }): Layer {
  const { light, look, seed, sun, aspect } = stage
  const deep = between(between(hex('12405a'), look.accents[0], look.tint * 0.6), light.shade, 1 - light.level)
  const mirrored: Rgb = [0, 0, 0]
  return (pixel, u, v) => {
    const depth = (v - from) / (1 - from)
    if (depth <= 0) return
    // A plane that goes away from the viewer: what is far is narrow.
    const far = 1 / (0.08 + depth)
    const [x, z] = [(u - aspect / 2) * far, far]
    const wave = noise(x * 5, z * 26, seed + 51) - 0.5
    const swell = noise(x * 1.6, z * 7, seed + 52) - 0.5
    const bend = (0.012 + 0.05 * rough) * (0.3 + depth)
    cover(mirrored, [0, 0, 0], 1)
    above(mirrored, u + (wave + swell) * bend, Math.max(0, from - (v - from) * (1 - 0.35 * depth) + wave * bend * 1.4))
    cover(mirrored, deep, 0.18 + 0.3 * rough + 0.25 * depth)
    cover(pixel, mirrored, 1)
    const column = Math.exp(-Math.abs(u - sun.u) * (14 - 9 * depth))
    shine(pixel, light.beam, column * step(0.08, 0.42, wave + swell * 0.6) * 0.75 * light.level ** 0.5)
    if (rough > 0.5) shine(pixel, [1, 1, 1], 0.5 * light.level * step(0.36, 0.5, wave + 0.35 * swell) * (0.2 + depth))
    // A line of light where it begins.
    shine(pixel, light.horizon, 0.22 * Math.exp(-depth * 60))
  }
}
