/** Puts a figure into a scene, in its light. */
import { clouds, step } from './chance.ts'
import { between, cover, dim, hex, type Rgb, shine } from './colour.ts'
import { FIGURES, type Role } from './figures.ts'
import type { Subject } from './lexicon.ts'
import { PLAIN_TINT } from './look.ts'
import { length } from './shapes.ts'
import type { Layer, Stage } from './stage.ts'

// Those that fly or swim have no ground under them.
const ABOVE_GROUND: readonly Subject[] = ['bird', 'balloon', 'lantern', 'fish']
const SIZES: Partial<Readonly<Record<Subject, number>>> = {
  castle: 1.15,
  lighthouse: 1.25,
  bird: 0.5,
  fish: 0.75,
  balloon: 0.85,
}
const EDGE = 0.006

const NATURAL_ACCENT: Partial<Readonly<Record<Subject, string>>> = { fox: 'e9a45a', tree: '79a64a' }

// Where no colour was asked for; a balloon has the colours of the words.
const NATURAL: Partial<Readonly<Record<Subject, string>>> = {
  ...{
    cat: '6f675e',
    fox: 'c8662c',
    bird: 'e6e4de',
    person: '56699a',
    tree: '3f7a3a',
    house: 'd8c6a4',
    castle: 'b3a895',
  },
  ...{
    lighthouse: 'e8e4da',
    boat: '7a4e32',
    fish: 'ee8434',
    robot: '8d99a6',
    bottle: '58a5ab',
    lantern: 'c2432f',
    flower: 'e0567a',
  },
}

/** The figure; undefined where none was asked for. */
export function subject(stage: Stage): Layer | undefined {
  const { look, light, spot, seed, sun, horizon } = stage
  if (look.subject === undefined) return undefined
  const parts = FIGURES[look.subject]
  const size = spot.size * (SIZES[look.subject] ?? 1)
  const flies = ABOVE_GROUND.includes(look.subject)
  const top = flies ? horizon * 0.62 - size * 0.35 : spot.v - size
  const middle = spot.u
  const colours = rolesOf(stage)
  // Leaves are rougher than fur and walls.
  const grain = look.subject === 'tree' ? 1.5 : 0.25
  const toSun = sun.u > middle ? 1 : -1

  return (pixel, u, v) => {
    const x = (u - middle) / size
    const y = (v - top) / size
    if (x < -1 || x > 1 || y < -0.5 || y > 1.6) return
    if (!flies) castShadow(pixel, x, y, light.level)
    for (const { shape, role } of parts) {
      const distance = shape(x * toSun, y)
      const colour = colours[role]
      if (role === 'glow') shine(pixel, colour, 0.5 * Math.exp(-Math.max(0, distance) * 9) * (1 - 0.6 * light.level))
      if (distance > EDGE) continue
      const lit: Rgb = [colour[0], colour[1], colour[2]]
      if (role !== 'glow') {
        // Rounded: darker where it turns away from the light, with a bright rim towards it.
        const depth = Math.min(1, -distance / 0.16)
        dim(lit, (0.7 + 0.3 * depth) * (1 + grain * (clouds(x * 19, y * 19, seed + 91, 4) - 0.5)))
        shine(
          lit,
          light.beam,
          0.3 *
            light.level *
            step(-0.05, -0.005, distance) *
            Math.min(1, Math.max(0, (shape(x * toSun + 0.03, y - 0.02) - distance) * 28)),
        )
      }
      cover(pixel, lit, step(EDGE, -EDGE, distance))
    }
  }
}

function castShadow(pixel: Rgb, x: number, y: number, level: number): void {
  const distance = length(x / 0.42, (y - 1) / 0.07)
  if (distance < 1) dim(pixel, 1 - 0.45 * (1 - distance) * (0.3 + 0.7 * level))
}

function rolesOf({ look, light }: Stage): Readonly<Record<Role, Rgb>> {
  const [first, second] = look.accents
  const natural = look.subject && NATURAL[look.subject]
  const naturalAccent = look.subject && NATURAL_ACCENT[look.subject]
  const hasColours = look.tint > PLAIN_TINT
  const lit = (colour: Rgb, shade = 0.55): Rgb => between(colour, light.shade, (1 - light.level) * shade)
  return {
    body: lit(natural === undefined || hasColours ? first : between(hex(natural), first, look.tint)),
    accent: lit(naturalAccent === undefined ? second : between(hex(naturalAccent), second, look.tint)),
    pale: lit(between([0.95, 0.93, 0.88], first, 0.12)),
    dark: lit(between(hex('2a2622'), first, 0.12)),
    glow: between(hex('ffd890'), first, look.tint),
  }
}
