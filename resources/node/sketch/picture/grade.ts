/** The last touch: saturation, contrast, warmth, the darker corners, the paint. */
import { clouds, noise } from './chance.ts'
import { cover, dim, type Rgb } from './colour.ts'
import { length } from './shapes.ts'
import type { Layer, Stage } from './stage.ts'

/** Grades a finished pixel. */
export function grade({ look: { traits, seed }, aspect }: Stage): Layer {
  const isGrey = traits.has('monochrome') || traits.has('sepia')
  const saturation = isGrey ? 0 : traits.has('vivid') || traits.has('neon') ? 1.35 : traits.has('pastel') ? 0.7 : 1.06
  const contrast = traits.has('pastel') ? 0.78 : traits.has('vivid') || traits.has('dark') ? 1.15 : 1.03
  const lift = (traits.has('pastel') ? 0.12 : 0) + (traits.has('bright') ? 0.07 : 0) - (traits.has('dark') ? 0.07 : 0)
  const warmth = (traits.has('warm') ? 0.05 : 0) - (traits.has('cold') ? 0.05 : 0)
  const isPainted = traits.has('painted')
  const isSepia = traits.has('sepia')
  return (pixel, u, v) => {
    const grey = 0.3 * pixel[0] + 0.59 * pixel[1] + 0.11 * pixel[2]
    for (let channel = 0; channel < 3; channel += 1) {
      const value = grey + ((pixel[channel] ?? 0) - grey) * saturation
      pixel[channel] = (value - 0.5) * contrast + 0.5 + lift
    }
    pixel[0] += warmth
    pixel[2] -= warmth
    if (isSepia) cover(pixel, [pixel[0] * 1.08, pixel[1] * 0.93, pixel[2] * 0.7], 1)
    if (isPainted) paper(pixel, u, v, seed)
    const corner = length((u - aspect / 2) / aspect, v - 0.5)
    dim(pixel, 1 - 0.5 * Math.max(0, corner - 0.32))
  }
}

function paper(pixel: Rgb, u: number, v: number, seed: number): void {
  const wash = clouds(u * 9, v * 9, seed + 111, 4) - 0.5
  const grain = noise(u * 210, v * 210, seed + 112) - 0.5
  for (let channel = 0; channel < 3; channel += 1) pixel[channel] = (pixel[channel] ?? 0) + 0.16 * wash + 0.06 * grain
}

/** Moves the places that are painted a little, as a brush does; undefined where nothing is painted by brush. */
export function brush({ look, seed }: Stage): ((u: number, v: number) => readonly [number, number]) | undefined {
  if (!look.traits.has('painted')) return undefined
  return (u, v) => {
    const turn = noise(u * 11, v * 11, seed + 113) * Math.PI * 4
    const far = 0.011 * noise(u * 34, v * 34, seed + 114)
    return [u + Math.cos(turn) * far, v + Math.sin(turn) * far]
  }
}
