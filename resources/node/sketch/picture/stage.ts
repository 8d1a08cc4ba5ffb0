/** What all parts of a scene agree on, and how they are put on top of each other. */
import { mix } from './chance.ts'
import type { Rgb } from './colour.ts'
import { LIGHTS, type Light } from './light.ts'
import type { Look } from './look.ts'

/** Paints a point over what is there: u and v in heights of the picture, from the top left. */
export type Layer = (pixel: Rgb, u: number, v: number) => void

/** The composition of one picture. */
export type Stage = {
  readonly look: Look
  readonly light: Light
  readonly seed: number
  /** Width in heights. */
  readonly aspect: number
  readonly horizon: number
  readonly sun: { readonly u: number; readonly v: number; readonly size: number }
  /** How far the clouds have gone. */
  readonly drift: number
  /** Where the subject stands, and its height. */
  readonly spot: { readonly u: number; readonly v: number; readonly size: number }
}

/** Composes. @param layout which of the compositions, a number of 32 bits */
export function compose(look: Look, layout: number, aspect: number): Stage {
  const seed = mix(look.seed ^ mix(layout))
  const chance = (what: number) => mix(mix(layout) + what) / 0x100000000
  const light = LIGHTS[look.hour]
  const horizon = 0.5 + 0.17 * chance(1)
  const side = chance(2) < 0.5 ? 0.2 + 0.16 * chance(3) : 0.66 + 0.16 * chance(3)
  const away = side < 0.5 ? 0.14 : -0.14
  const size = Math.min(aspect * 0.75, 0.42 + 0.16 * chance(9))
  return {
    look,
    light,
    seed,
    aspect,
    horizon,
    sun: {
      u: aspect * side,
      v: horizon * (1 - light.height * (0.8 + 0.3 * chance(4))),
      size: 0.035 + 0.025 * chance(5),
    },
    drift: 10 * chance(6),
    spot: {
      // Not over the edge of a narrow picture.
      u: Math.min(aspect - size * 0.4, Math.max(size * 0.4, aspect * (0.5 + away * (0.4 + chance(7))))),
      v: 0.8 + 0.1 * chance(8),
      size,
    },
  }
}

/** A value for each u, kept, as lines of hills depend on nothing else. */
export function alongWidth(aspect: number, value: (u: number) => number): (u: number) => number {
  const points = 1024
  const kept = Float32Array.from({ length: points + 2 }, (_, at) => value((at / points) * aspect))
  return (u) => {
    const place = Math.min(points, Math.max(0, (u / aspect) * points))
    const left = Math.floor(place)
    const one = kept[left] as number
    const other = kept[left + 1] as number
    return one + (other - one) * (place - left)
  }
}
