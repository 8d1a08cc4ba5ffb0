/** Sky: the light of the hour, sun or moon, clouds, stars, aurora. */
import { at, clouds, noise, step } from './chance.ts'
import { between, cover, dim, type Rgb, shine } from './colour.ts'
import { length } from './shapes.ts'
import type { Layer, Stage } from './stage.ts'

/** Everything above the horizon. */
export function sky(stage: Stage): Layer {
  const { look, light, horizon, sun } = stage
  const low = between(light.horizon, look.accents[0], look.tint)
  const high = between(light.zenith, look.accents[1], look.tint * 0.6)
  const parts = [
    hasStars(stage) ? stars(stage, 0.5) : undefined,
    look.traits.has('aurora') ? aurora(stage) : undefined,
    look.traits.has('clear') ? undefined : cloudCover(stage),
  ].filter((part) => part !== undefined)
  const isMoon = look.hour === 'night'
  // Below it the ground covers everything, but for the gaps between houses.
  const end = look.place === 'city' ? 1 : horizon + 0.02

  return (pixel, u, v) => {
    const t = Math.min(1, Math.max(0, v / horizon))
    cover(pixel, high, 1)
    cover(pixel, low, t ** 1.6)
    if (v > end) return
    const distance = length(u - sun.u, v - sun.v)
    shine(pixel, light.beam, 0.42 * Math.exp(-distance * 5) + 0.16 * Math.exp(-distance * 1.6) * t)
    if (look.hour !== 'overcast' && look.hour !== 'storm') {
      const disc = 1 - step(sun.size * 0.94, sun.size * 1.04, distance)
      cover(pixel, light.beam, disc)
      shine(pixel, light.beam, 0.25 * disc)
      if (isMoon && disc > 0) dim(pixel, 1 - 0.25 * disc * noise(u * 46, v * 46, look.seed))
    }
    for (const part of parts) part(pixel, u, v)
  }
}

const hasStars = ({ look }: Stage) =>
  look.hour === 'night' || look.hour === 'dusk' || look.traits.has('stars') || look.place === 'space'

/** Points of light. @param amount 0 to 1: how many */
export function stars({ seed, horizon }: Stage, amount: number): Layer {
  const perHeight = 64
  const white: Rgb = [1, 0.97, 0.92]
  return (pixel, u, v) => {
    const [x, y] = [Math.floor(u * perHeight), Math.floor(v * perHeight)]
    const chance = at(x, y, seed + 11)
    if (chance > amount * 0.35) return
    const [starU, starV] = [
      (x + 0.2 + 0.6 * at(x, y, seed + 12)) / perHeight,
      (y + 0.2 + 0.6 * at(x, y, seed + 13)) / perHeight,
    ]
    const size = 0.0009 + 0.0016 * at(x, y, seed + 14) ** 3
    const glow = Math.exp(-(((u - starU) ** 2 + (v - starV) ** 2) / (size * size)))
    shine(pixel, white, glow * (1 - 0.7 * Math.min(1, v / horizon)))
  }
}

function cloudCover({ look, light, seed, sun, drift }: Stage): Layer {
  const amount = look.traits.has('clouds') || look.hour === 'storm' ? 0.42 : look.hour === 'overcast' ? 0.36 : 0.52
  const lit = between(light.cloud, light.beam, 0.45)
  const dark = between(light.cloud, light.shade, look.hour === 'storm' ? 0.75 : 0.4)
  return (pixel, u, v) => {
    const x = u * 2.1 + drift
    const y = v * 4.6
    const density = step(amount, amount + 0.26, clouds(x, y, seed + 21))
    if (density <= 0.01) return
    // The side towards the sun is lit: where the cloud is thinner in its direction.
    const towards = clouds(x + (sun.u - u) * 0.25, y + (sun.v - v) * 0.5, seed + 21, 3)
    cover(pixel, between(lit, dark, step(amount - 0.05, amount + 0.3, towards)), density * 0.86)
  }
}

function aurora({ look, seed }: Stage): Layer {
  const [first] = look.accents
  const green: Rgb = between([0.25, 0.95, 0.6], first, look.tint)
  return (pixel, u, v) => {
    const band = 0.26 + 0.16 * (noise(u * 2.4, 3, seed + 31) - 0.5) + 0.06 * Math.sin(u * 9 + noise(u * 3, 7, seed) * 5)
    const rays = 0.55 + 0.45 * noise(u * 38, v * 2, seed + 32)
    const below = v - band
    const glow = below > 0 ? Math.exp(-below * 16) : Math.exp(below * 5)
    shine(pixel, green, glow * rays * 0.55)
  }
}
