/** The light of each hour. */
import { hex, type Rgb } from './colour.ts'
import type { Hour } from './lexicon.ts'

/** Colours of the air and of what it lights. */
export type Light = {
  readonly zenith: Rgb
  readonly horizon: Rgb
  /** Of the sun or the moon. */
  readonly beam: Rgb
  readonly cloud: Rgb
  /** Of what is in the shade, far and near. */
  readonly shade: Rgb
  /** How bright what stands on the ground is, 0 to 1. */
  readonly level: number
  /** How high the sun stands: 0 at the horizon, 1 at the top. */
  readonly height: number
}

const light = (colours: string, level: number, height: number): Light => {
  const [zenith = '', horizon = '', beam = '', cloud = '', shade = ''] = colours.split(' ')
  return {
    zenith: hex(zenith),
    horizon: hex(horizon),
    beam: hex(beam),
    cloud: hex(cloud),
    shade: hex(shade),
    level,
    height,
  }
}

/** By the hour: zenith, horizon, beam, cloud, shade. */
export const LIGHTS: Readonly<Record<Hour, Light>> = {
  day: light('2a6cb8 c4e3f2 fff6d8 ffffff 37506b', 1, 0.7),
  dawn: light('5c74ad f9cdb4 ffe0b8 fbe3dc 4a4a6e', 0.85, 0.22),
  sunset: light('40305f ff9150 ffd27a ffb48a 3a2545', 0.72, 0.14),
  dusk: light('1b2247 b8698a ffb9a0 7d6a96 1d1c3a', 0.5, 0.05),
  night: light('060a1e 22345f e8efff 2b3a5e 070a18', 0.3, 0.66),
  storm: light('262f3c 8b969d d5dee2 525d68 20262e', 0.55, 0.5),
  overcast: light('98a5ad d3d9da f2f4f3 c2cbcf 57636a', 0.78, 0.5),
}
