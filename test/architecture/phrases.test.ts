import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findPhrases, PHRASES, type PhraseName, readProse } from './phrases.ts'

const ROOT = join(import.meta.dirname, '..', '..')

test('documents, comments and texts for users contain no banned phrases', () => {
  const files = readProse(ROOT)
  const wrong = Object.entries(findPhrases(files)).flatMap(([name, places]) =>
    places.map((place) => `${place}: ${name}. Write ${PHRASES[name as PhraseName].instead}.`),
  )
  expect(wrong).toEqual([])
  expect(Object.keys(files)).toEqual(
    expect.arrayContaining(['README.md', 'docs/spec/job-api.md', 'src-main/app/core.ts']),
  )
})

/** Texts with the phrase in line 1, and texts that only look like it. */
const PLANTED: Readonly<
  Record<PhraseName, { readonly found: readonly string[]; readonly leftAlone: readonly string[] }>
> = {
  'a sentence starting with "What"': {
    found: ['// What a job costs.', '/** Waits. What came first\n * is kept. */', 'const a = 1 // What it is.'],
    leftAlone: [
      '// What is kept in job.ts?',
      '// What-if questions.',
      '// It says what it is.',
      '// Says\n// What a name means.',
    ],
  },
  'a sentence starting with "Whoever"': {
    found: ['// Whoever asks waits.', '/** It waits. Whoever asks, too. */'],
    leftAlone: ['// It answers whoever asks.'],
  },
  'is none, are none': {
    found: ['// undefined where it is none', '// those of others are\n// none'],
    leftAlone: ['// undefined where there is none', "const a = 'it is none'"],
  },
  'be it': { found: ['// any key, be it old'], leftAlone: ['// it may be italic'] },
  'as do all': { found: ['// it waits, as do all jobs'], leftAlone: ['// as all do'] },
  'where there is one': {
    found: ['// the draft where there is one, else none'],
    leftAlone: ['// where there is one machine'],
  },
  'of its own accord': { found: ['// it ends of its own accord'], leftAlone: ['// of its own'] },
  'way back, door': { found: ['// it has no way back', '// the door of agents'], leftAlone: ['// outdoors, `door`'] },
  'hand-out, handed out': {
    found: ['// a hand-out of jobs', '// jobs are handed\n// out'],
    leftAlone: ['// handed over, without'],
  },
  seat: { found: ['// it takes a seat'], leftAlone: ['// seated'] },
  'ordered end': { found: ['// an ordered end'], leftAlone: ['// an ordered ending'] },
  beside: { found: ['// a file beside it', '/* Beside it. */'], leftAlone: ['// besides', 'beside()'] },
}

test.each(Object.entries(PLANTED))('planted: %s', (name, { found, leftAlone }) => {
  const placesIn = (texts: readonly string[]) =>
    texts.map((text) => findPhrases({ 'src-main/a.ts': text })[name as PhraseName])
  expect(placesIn(found)).toEqual(found.map(() => ['src-main/a.ts:1']))
  expect(placesIn(leftAlone)).toEqual(leftAlone.map(() => []))
})

test('planted: documents, Python comments, texts for users and texts between tags are read, code is not', () => {
  const placesIn = (path: string, ...lines: readonly string[]) => findPhrases({ [path]: lines.join('\n') }).beside
  expect(placesIn('docs/a.md', '# Beside', '`beside`', '```', 'beside', '```', '| a | beside |')).toEqual([
    'docs/a.md:1',
    'docs/a.md:6',
  ])
  expect(placesIn('resources/python/a.py', '"""A file', 'beside it."""', 'beside = 1  # and beside')).toEqual([
    'resources/python/a.py:2',
    'resources/python/a.py:3',
  ])
  const sentences = ["say('Put it beside the file.')", 'say(`Put it\nbeside that.`)', "name('beside', 'a beside b')"]
  expect(placesIn('src-main/a.ts', ...sentences)).toEqual(['src-main/a.ts:1', 'src-main/a.ts:3'])
  expect(placesIn('test/a.test.ts', ...sentences)).toEqual([])
  expect(placesIn('src-renderer/A.tsx', '<p className="beside">', 'Put it beside', 'the file.', '</p>')).toEqual([
    'src-renderer/A.tsx:2',
  ])
})
