/** How a picture looks, by the words that ask for it. */
import type { Word } from '../values.ts'
import { hashText, mix } from './chance.ts'
import { hex, hsl, type Rgb } from './colour.ts'
import {
  colourOf,
  type Hour,
  hourOf,
  type Place,
  placeOf,
  type Subject,
  subjectOf,
  type Trait,
  traitsOf,
} from './lexicon.ts'

/** What is painted. */
export type Look = {
  /** Of the words: unknown ones change colours and shapes by it. */
  readonly seed: number
  readonly place: Place
  readonly hour: Hour
  readonly traits: ReadonlySet<Trait>
  readonly subject: Subject | undefined
  /** Two colours at least. */
  readonly accents: readonly [Rgb, Rgb, ...Rgb[]]
  /** How strongly the words of colours count, from 0 to 1. */
  readonly tint: number
}

/** How strongly colours count that nobody asked for. */
export const PLAIN_TINT = 0.12
const ASKED_TINT = 0.4

/** The place of who is painted where no place was asked for. */
const HOME_OF: Partial<Readonly<Record<Subject, Place>>> = {
  boat: 'sea',
  lighthouse: 'sea',
  fish: 'underwater',
  robot: 'city',
  flower: 'meadow',
  fox: 'forest',
  bird: 'lake',
  castle: 'mountains',
  lantern: 'lake',
}

// Without any word of a place: what the words happen to give.
const ANYWHERE = ['hills', 'lake', 'abstract', 'mountains', 'meadow'] as const
const ANY_HOUR = ['day', 'dawn', 'sunset', 'dusk'] as const

/** Makes the look. @param style of the model, which changes colours a little */
export function lookOf(words: readonly Word[], style: string): Look {
  const seed = hashText(words.map(({ text, strength }) => `${text} ${strength.toFixed(2)}`).join(' '))
  const subject = strongest(words, subjectOf)
  const place = strongest(words, placeOf) ?? (subject && (HOME_OF[subject] ?? 'hills')) ?? pick(ANYWHERE, mix(seed + 1))
  const hour = strongest(words, hourOf) ?? pick(ANY_HOUR, mix(seed + 2))
  const colours = words.flatMap(({ text, strength }) => {
    const digits = colourOf(text)
    return digits === undefined || strength === 0 ? [] : [hex(digits)]
  })
  const hue = (mix(seed + 3) / 0x100000000 + (hashText(style) / 0x100000000) * 0.12) % 1
  const [first = hsl(hue, 0.6, 0.55), second = hsl(hue + 0.38, 0.55, 0.6), ...more] = colours
  const traits = new Set(words.flatMap(({ text, strength }) => (strength > 0 ? traitsOf(text) : [])))
  return {
    seed,
    place,
    hour,
    traits,
    subject,
    accents: [first, second, ...more],
    tint: colours.length > 0 ? ASKED_TINT : PLAIN_TINT,
  }
}

/** What most words stand for, by their strengths; of equals the first. */
function strongest<Name extends string>(
  words: readonly Word[],
  find: (word: string) => Name | undefined,
): Name | undefined {
  const sums = new Map<Name, number>()
  for (const { text, strength } of words) {
    const name = find(text)
    if (name !== undefined && strength > 0) sums.set(name, (sums.get(name) ?? 0) + strength)
  }
  let best: Name | undefined
  for (const [name, sum] of sums) if (best === undefined || sum > (sums.get(best) ?? 0)) best = name
  return best
}

const pick = <Item>(items: readonly [Item, ...Item[]], chance: number): Item => items[chance % items.length] ?? items[0]
