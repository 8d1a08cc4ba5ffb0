/** What is between the scene and the viewer: fog, rain, snow. */
import { at, clouds, noise, step } from './chance.ts'
import { between, cover, type Rgb, shine } from './colour.ts'
import type { Layer, Stage } from './stage.ts'

/** The layers between the scene and the viewer that the prompt asks for. */
export function air(stage: Stage): readonly Layer[] {
  const { traits, place } = stage.look
  if (place === 'space' || place === 'underwater') return []
  return [
    ...(traits.has('fog') ? [fog(stage)] : []),
    ...(traits.has('rain') ? [rain(stage)] : []),
    ...(traits.has('snow') ? [snow(stage)] : []),
  ]
}

function fog({ light, horizon, seed, drift }: Stage): Layer {
  const colour = between(light.horizon, [1, 1, 1], 0.25 * light.level)
  return (pixel, u, v) => {
    const band = Math.exp(-(((v - horizon - 0.06) / 0.2) ** 2))
    const patches = clouds(u * 1.8 + drift, v * 6, seed + 95, 4)
    cover(pixel, colour, Math.min(0.82, band * (0.2 + 0.8 * patches) + 0.1))
  }
}

function rain({ light, seed }: Stage): Layer {
  return (pixel, u, v) => {
    const slanted = u + v * 0.12
    const column = Math.floor(slanted * 150)
    const along = v * 5 + at(column, 1, seed + 96) * 9
    const drop = step(0.82, 0.97, along - Math.floor(along)) * (at(column, Math.floor(along), seed + 97) > 0.5 ? 1 : 0)
    shine(pixel, light.cloud, 0.2 * drop + 0.03 * noise(slanted * 300, v * 12, seed + 98))
  }
}

function snow({ light, seed, horizon }: Stage): Layer {
  const white: Rgb = between([1, 1, 1], light.cloud, 0.2)
  return (pixel, u, v) => {
    for (let depth = 0; depth < 2; depth += 1) {
      const grid = depth === 0 ? 40 : 17
      const [column, row] = [Math.floor(u * grid), Math.floor(v * grid)]
      const salt = seed + 99 + depth
      if (at(column, row, salt) > 0.45) continue
      const [x, y] = [
        (column + 0.25 + 0.5 * at(column, row, salt + 5)) / grid,
        (row + 0.25 + 0.5 * at(column, row, salt + 6)) / grid,
      ]
      const size = (0.05 + 0.09 * at(column, row, salt + 7)) / grid
      cover(pixel, white, 0.85 * step(size * 1.5, size * 0.5, Math.hypot(u - x, v - y)))
    }
    cover(pixel, white, 0.06 * step(horizon - 0.2, 1, v))
  }
}
