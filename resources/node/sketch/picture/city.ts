/** A city: blocks one behind the other, with windows. */
import { at, noise, step } from './chance.ts'
import { between, cover, hex, type Rgb, shine } from './colour.ts'
import type { Layer, Stage } from './stage.ts'

/** Houses up to the sky. */
export function city(stage: Stage): Layer {
  const { look, light, seed, horizon } = stage
  const isDark = light.level < 0.6 || look.traits.has('neon')
  const warm = hex('ffd48a')
  const signs: readonly Rgb[] = look.traits.has('neon')
    ? [hex('ff4fd8'), hex('3ce6ff'), ...look.accents]
    : [warm, hex('cfe4ff')]
  const rows = Array.from({ length: 4 }, (_, index) => {
    const depth = (index + 1) / 4
    const wall = between(
      between(light.horizon, light.shade, 0.5),
      between(hex('59616e'), look.accents[1], look.tint),
      depth,
    )
    return {
      depth,
      salt: seed + index * 977,
      width: 0.05 + 0.075 * depth,
      base: horizon + 0.16 + 0.26 * depth,
      wall: between(wall, light.shade, (1 - light.level) * 0.85),
    }
  })
  return (pixel, u, v) => {
    for (const { depth, salt, width, base, wall } of rows) {
      const index = Math.floor(u / width)
      const inner = u / width - index
      const height = (0.16 + 0.62 * at(index, 1, salt) ** 1.7) * (1.25 - 0.55 * depth)
      const margin = 0.04 + 0.08 * at(index, 2, salt)
      const top = base - height
      if (v < top || inner < margin || inner > 1 - margin) continue
      const shade = 0.86 + 0.24 * (inner > 0.6 ? 0 : 1) + 0.06 * noise(u * 60, v * 60, salt)
      cover(pixel, [wall[0] * shade, wall[1] * shade, wall[2] * shade], 1)
      const [column, floor] = [Math.floor(inner * 7), Math.floor((v - top) * 62)]
      const [x, y] = [inner * 7 - column, (v - top) * 62 - floor]
      if (x < 0.2 || x > 0.8 || y < 0.25 || y > 0.75 || floor < 1) continue
      const chance = at(index * 31 + column, floor, salt + 3)
      const colour = signs[Math.floor(at(index, floor, salt + 4) * signs.length)] ?? warm
      if (isDark && chance > 0.52) cover(pixel, colour, 0.35 + 0.6 * depth * at(index, column, salt + 5))
      else cover(pixel, isDark ? light.shade : light.zenith, 0.35)
    }
    // The glow over the streets.
    if (isDark) shine(pixel, signs[0] ?? warm, 0.2 * step(horizon, 1, v) + 0.05)
    else cover(pixel, light.horizon, 0.18 * step(horizon - 0.2, horizon + 0.2, v))
  }
}
