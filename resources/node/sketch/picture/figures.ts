/**
 * Figures that stand in a picture, of simple shapes. A figure is 1 high, from y = 0 at the top; x = 0 is its middle.
 */
import type { Subject } from './lexicon.ts'
import { box, corners, ellipse, type Shape, union, without } from './shapes.ts'

/** What a part is painted with: colours of the figure, or light of its own. */
export type Role = 'body' | 'pale' | 'dark' | 'accent' | 'glow'

/** A part of a figure. */
export type Part = { readonly shape: Shape; readonly role: Role }

const part = (role: Role, ...shapes: readonly Shape[]): Part => ({ role, shape: union(...shapes) })

// Both are sitting and seen from the side; only ears, tail and snout are not the same.
const sitting = (...more: readonly Part[]): readonly Part[] => [
  part('body', ellipse(0.02, 0.7, 0.21, 0.3), ellipse(-0.08, 0.3, 0.14, 0.13), ellipse(-0.05, 0.48, 0.12, 0.2)),
  part('body', corners(-0.15, 0.55, -0.03, 0.55, -0.06, 1, -0.14, 1), ellipse(0.1, 0.92, 0.16, 0.08)),
  ...more,
  part('pale', ellipse(-0.1, 0.56, 0.06, 0.14)),
  part('glow', ellipse(-0.14, 0.28, 0.018, 0.022), ellipse(-0.05, 0.28, 0.018, 0.022)),
]

/** By the words that ask for them. */
export const FIGURES: Readonly<Record<Subject, readonly Part[]>> = {
  cat: sitting(
    part('body', corners(-0.21, 0.24, -0.19, 0.08, -0.1, 0.19), corners(-0.06, 0.19, 0.02, 0.08, 0.05, 0.25)),
    part('body', without(ellipse(0.28, 0.72, 0.16, 0.24), ellipse(0.27, 0.68, 0.11, 0.2))),
  ),
  fox: sitting(
    part('body', corners(-0.2, 0.24, -0.21, 0.05, -0.1, 0.19), corners(-0.05, 0.19, 0.03, 0.05, 0.05, 0.26)),
    part('accent', ellipse(0.28, 0.84, 0.2, 0.1), corners(-0.14, 0.3, -0.03, 0.33, -0.13, 0.42)),
    part('pale', ellipse(0.44, 0.82, 0.07, 0.05)),
  ),
  bird: [
    part('body', ellipse(0, 0.42, 0.14, 0.1), corners(0.1, 0.36, 0.34, 0.34, 0.12, 0.47)),
    part('pale', corners(-0.04, 0.4, -0.42, 0.06, 0.06, 0.3), corners(0, 0.38, 0.36, 0.02, 0.12, 0.36)),
    part('accent', corners(-0.13, 0.4, -0.23, 0.43, -0.12, 0.45)),
  ],
  person: [
    part('dark', corners(-0.1, 0.96, -0.06, 0.55, 0.06, 0.55, 0.1, 0.96, 0.03, 0.96, 0, 0.66, -0.03, 0.96)),
    part('body', corners(-0.13, 0.24, 0.13, 0.24, 0.17, 0.62, -0.17, 0.62)),
    part('accent', corners(-0.12, 0.23, 0.12, 0.23, 0.04, 0.32, -0.05, 0.32)),
    part('pale', ellipse(0, 0.13, 0.07, 0.09)),
    part('dark', without(ellipse(0, 0.11, 0.085, 0.1), ellipse(-0.015, 0.17, 0.075, 0.09))),
  ],
  tree: [
    part('dark', corners(-0.04, 1, -0.03, 0.5, 0.03, 0.5, 0.05, 1)),
    part('body', ellipse(0, 0.3, 0.26, 0.22), ellipse(-0.2, 0.42, 0.16, 0.13), ellipse(0.2, 0.4, 0.17, 0.14)),
    part('accent', ellipse(-0.07, 0.22, 0.14, 0.1), ellipse(0.14, 0.33, 0.09, 0.07)),
  ],
  house: [
    part('body', box(0, 0.74, 0.32, 0.26)),
    part('dark', corners(-0.42, 0.5, 0, 0.14, 0.42, 0.5), box(0.2, 0.24, 0.045, 0.12)),
    part('accent', box(0.12, 0.84, 0.07, 0.16)),
    part('glow', box(-0.14, 0.72, 0.08, 0.08)),
  ],
  castle: [
    part(
      'body',
      box(0, 0.74, 0.3, 0.26),
      box(-0.3, 0.62, 0.09, 0.38),
      box(0.3, 0.62, 0.09, 0.38),
      box(0.04, 0.5, 0.08, 0.4),
    ),
    part('accent', corners(-0.41, 0.25, -0.3, 0.02, -0.19, 0.25), corners(0.19, 0.25, 0.3, 0.02, 0.41, 0.25)),
    part('accent', corners(-0.06, 0.12, 0.04, -0.1, 0.14, 0.12)),
    part('dark', box(0, 0.92, 0.07, 0.09), ellipse(0, 0.84, 0.07, 0.06)),
    part('glow', box(-0.3, 0.45, 0.018, 0.035), box(0.3, 0.45, 0.018, 0.035), box(0.04, 0.3, 0.018, 0.035)),
  ],
  lighthouse: [
    part('dark', ellipse(0, 1.02, 0.4, 0.1)),
    part('pale', corners(-0.13, 1, -0.08, 0.24, 0.08, 0.24, 0.13, 1)),
    part(
      'accent',
      corners(-0.117, 0.82, -0.107, 0.66, 0.107, 0.66, 0.117, 0.82),
      corners(-0.096, 0.5, -0.086, 0.34, 0.086, 0.34, 0.096, 0.5),
    ),
    part('dark', box(0, 0.235, 0.11, 0.014), corners(-0.09, 0.12, 0, 0.02, 0.09, 0.12)),
    part('glow', box(0, 0.17, 0.055, 0.05)),
  ],
  boat: [
    part('dark', box(0, 0.45, 0.012, 0.4)),
    part('pale', corners(0.03, 0.08, 0.32, 0.72, 0.03, 0.72)),
    part('accent', corners(-0.03, 0.16, -0.03, 0.72, -0.24, 0.72)),
    part('body', corners(-0.38, 0.78, 0.42, 0.78, 0.26, 0.95, -0.26, 0.95)),
  ],
  lantern: [
    part('dark', box(0, 0.1, 0.006, 0.1), box(0, 0.22, 0.11, 0.022), box(0, 0.8, 0.11, 0.022)),
    part('glow', ellipse(0, 0.51, 0.24, 0.3)),
    part('accent', box(0, 0.9, 0.012, 0.08)),
  ],
  balloon: [
    part('body', ellipse(0, 0.34, 0.31, 0.33), corners(-0.22, 0.57, 0.22, 0.57, 0.06, 0.8, -0.06, 0.8)),
    part('accent', ellipse(0, 0.34, 0.11, 0.33)),
    part('dark', box(0, 0.91, 0.07, 0.055), box(-0.06, 0.82, 0.004, 0.06), box(0.06, 0.82, 0.004, 0.06)),
  ],
  flower: [
    part('dark', box(0, 0.72, 0.014, 0.3), ellipse(0.11, 0.74, 0.11, 0.035), ellipse(-0.1, 0.82, 0.1, 0.03)),
    part(
      'body',
      ...Array.from({ length: 8 }, (_, at) => {
        const turn = (at * Math.PI) / 4
        return ellipse(0.17 * Math.cos(turn), 0.28 + 0.17 * Math.sin(turn), 0.1, 0.1)
      }),
    ),
    part('accent', ellipse(0, 0.28, 0.09, 0.09)),
  ],
  fish: [
    part('accent', corners(0.22, 0.5, 0.48, 0.3, 0.44, 0.5, 0.48, 0.7), corners(-0.1, 0.4, 0.1, 0.22, 0.16, 0.42)),
    part('body', ellipse(0, 0.5, 0.32, 0.16)),
    part('pale', ellipse(-0.04, 0.57, 0.22, 0.07)),
    part('dark', ellipse(-0.2, 0.46, 0.025, 0.025)),
  ],
  robot: [
    part('dark', box(-0.09, 0.86, 0.05, 0.13), box(0.09, 0.86, 0.05, 0.13), box(0, 0.06, 0.008, 0.06)),
    part('body', box(0, 0.56, 0.2, 0.2), box(-0.26, 0.52, 0.045, 0.16), box(0.26, 0.52, 0.045, 0.16)),
    part('pale', box(0, 0.22, 0.15, 0.11)),
    part('accent', box(0, 0.56, 0.11, 0.09)),
    part('glow', ellipse(-0.06, 0.21, 0.032, 0.032), ellipse(0.06, 0.21, 0.032, 0.032), ellipse(0, 0.02, 0.024, 0.024)),
  ],
  bottle: [
    part('body', ellipse(0, 0.7, 0.26, 0.28), box(0, 0.36, 0.075, 0.2)),
    part('glow', ellipse(0, 0.76, 0.2, 0.18)),
    part('accent', ellipse(0.05, 0.68, 0.05, 0.04), ellipse(-0.07, 0.78, 0.03, 0.03)),
    part('dark', box(0, 0.13, 0.06, 0.06)),
  ],
}
