/** A scene: the parts that a look asks for, one over the other. */
import { air } from './air.ts'
import { city } from './city.ts'
import { abstract, space, underwater } from './elsewhere.ts'
import { brush, grade } from './grade.ts'
import { dunes, firs, flowers, ridges } from './land.ts'
import type { Place } from './lexicon.ts'
import type { Look } from './look.ts'
import { sky } from './sky.ts'
import { compose, type Layer, type Stage } from './stage.ts'
import { subject } from './subject.ts'
import { water } from './water.ts'

const over =
  (...layers: readonly Layer[]): Layer =>
  (pixel, u, v) => {
    for (const layer of layers) layer(pixel, u, v)
  }

const PLACES: Readonly<Record<Place, (stage: Stage) => Layer>> = {
  hills: (stage) => over(sky(stage), ridges(stage, { count: 5, rise: 0.2, sharp: false })),
  mountains: (stage) => over(sky(stage), ridges(stage, { count: 4, rise: 0.4, sharp: true })),
  meadow: (stage) => over(sky(stage), ridges(stage, { count: 4, rise: 0.14, sharp: false }), flowers(stage)),
  desert: (stage) => over(sky(stage), dunes(stage)),
  city: (stage) => over(sky(stage), city(stage)),
  forest: (stage) => over(sky(stage), ridges(stage, { count: 2, rise: 0.24, sharp: false }), firs(stage)),
  lake(stage) {
    const shore = over(
      sky(stage),
      ridges({ ...stage, horizon: stage.horizon - 0.02 }, { count: 3, rise: 0.27, sharp: true }),
    )
    return over(shore, water(stage, shore, { from: stage.horizon + 0.1, rough: 0.15 }))
  },
  sea(stage) {
    const far = sky(stage)
    return over(far, water(stage, far, { from: stage.horizon, rough: 0.8 }))
  },
  space,
  underwater,
  abstract,
}

/** Paints a look. @param layout which of its compositions @param aspect width in heights */
export function scene(look: Look, layout: number, aspect: number): Layer {
  const stage = compose(look, layout, aspect)
  const all = over(
    ...[PLACES[look.place](stage), subject(stage), ...air(stage), grade(stage)].filter((layer) => layer !== undefined),
  )
  const moved = brush(stage)
  return moved === undefined ? all : (pixel, u, v) => all(pixel, ...moved(u, v))
}
