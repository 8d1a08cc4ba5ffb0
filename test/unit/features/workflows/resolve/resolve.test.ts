import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  readDocument,
  type WorkflowDocument,
  writeDocument,
} from '../../../../../src-main/features/workflows/rules/document/document.ts'
import type { InputType } from '../../../../../src-main/features/workflows/rules/input-type.ts'
import { readNodeTypes } from '../../../../../src-main/features/workflows/rules/node-types.ts'
import { resolvePrompt } from '../../../../../src-main/features/workflows/rules/resolve/dynamic-prompts.ts'
import { nextValue } from '../../../../../src-main/features/workflows/rules/resolve/next-value.ts'
import {
  type ResolveOptions,
  resolveDocument,
} from '../../../../../src-main/features/workflows/rules/resolve/resolve.ts'
import { toPayload } from '../../../../../src-main/features/workflows/rules/to-payload/to-payload.ts'
import type { ControlMode } from '../../../../../src-main/features/workflows/rules/widgets.ts'
import { type JsonObject, writeJson } from '../../../../../src-main/lib/json/value.ts'
import { bundledTypes, json, objectOf } from '../../../../support/workflow-files.ts'

const TYPES = bundledTypes()
const least = (from: bigint) => from
const most = (_from: bigint, to: bigint) => to

const documentOf = (nodes: readonly object[], more: object = {}) =>
  readDocument(objectOf(JSON.stringify({ nodes, links: [], version: 0.4, ...more })))

const sampler = (seed: number | bigint, mode: string, more: object = {}) => ({
  id: 3,
  type: 'KSampler',
  widgets_values: [seed, mode, 20, 8, 'euler', 'normal', 1],
  ...more,
})

const run = (document: WorkflowDocument, more: Partial<ResolveOptions> = {}) =>
  resolveDocument(document, TYPES, { random: most, isFirst: false, ...more })
const valuesOf = ({ nodes }: WorkflowDocument, at = 0) => {
  const values = nodes.items[at]?.widgetValues
  return values === undefined ? undefined : writeJson(values)
}

describe('prompts with choices', () => {
  test.each([
    ['a {red|blue} ball', 'a red ball', 'a blue ball'],
    ['{a|{b|c} d}', 'a', 'c d'],
    ['{one}', 'one', 'one'],
    ['{|x}', '', 'x'],
    [String.raw`\{a|b\} {c\|d|e}`, '{a|b} c|d', '{a|b} e'],
    ['x // comment\ny /* more\n */ z', 'x \ny  z', 'x \ny  z'],
    ['{a|b', 'a', 'b'],
    ['x { y {p|q', 'x  y p', 'x  y q'],
    ['a|b}', 'a|b}', 'a|b}'],
    ['', '', ''],
  ])('%j', (prompt, first, last) => {
    expect(resolvePrompt(prompt, least)).toBe(first)
    expect(resolvePrompt(prompt, most)).toBe(last)
  })

  test('any text is settled, and ten thousand blocks within each other', () => {
    fc.assert(fc.property(fc.string(), (prompt) => typeof resolvePrompt(prompt, most) === 'string'))
    expect(resolvePrompt(`${'{'.repeat(10_000)}x${'}'.repeat(10_000)}`, most)).toBe('x')
  })
})

describe('the next value', () => {
  const seed = { min: 0, max: 18446744073709551615n }
  const input = (type: string, options: object, choices?: readonly string[]): InputType => {
    const written = JSON.stringify(options, (_, value) => (typeof value === 'bigint' ? `big${value}` : value))
    const exact = objectOf(written.replaceAll(/"big(\d+)"/g, '$1'))
    return { name: 'x', isRequired: true, type, choices: choices?.map((one) => one), options: exact }
  }
  const next = (value: string, mode: ControlMode, of: InputType, filter?: string) => {
    const given = of.choices === undefined ? { number: value } : value
    return JSON.parse(
      writeJson(nextValue(given, mode, { input: of, filter, random: most })).replace(/^(-?\d+)$/, '"$1"'),
    )
  }

  test.each([
    ['fixed', '18446744073709551615', '18446744073709551615'],
    ['increment', '18446744073709551614', '18446744073709551615'],
    ['increment', '18446744073709551615', '18446744073709551615'],
    ['increment-wrap', '18446744073709551615', '0'],
    ['decrement', '9007199254740993', '9007199254740992'],
    ['decrement', '0', '0'],
    ['randomize', '5', '18446744073709551615'],
  ] as const)('of a seed, %s after %s', (mode, before, after) => {
    expect(next(before, mode, input('INT', seed))).toBe(after)
  })

  test.each([
    ['increment', '512', { min: 16, max: 1024, step: 8 }, '520'],
    ['randomize', '512', { min: 16, max: 1024, step: 100 }, '1016'],
    ['randomize', '5', {}, '2048'],
    ['increment', '5', { min: 10, max: 3 }, '5'],
    ['increment', '5', { step: 0 }, '6'],
  ] as const)('of a whole number, %s after %s by %j', (mode, before, options, after) => {
    expect(next(before, mode, input('INT', options))).toBe(after)
  })

  test.each([
    ['increment', '0.2', { min: 0, max: 1, step: 0.1 }, 0.3],
    ['decrement', '0.05', { min: 0, max: 1, step: 0.1 }, '0'],
    ['increment', '0.95', { min: 0, max: 1, step: 0.1 }, '1'],
    ['randomize', '0.5', { min: 0, max: 1, step: 0.25 }, '1'],
    ['increment-wrap', '1', { min: 0, max: 1, step: 0.1 }, '0'],
    ['increment', '1', { min: -Number.MAX_VALUE, max: Number.MAX_VALUE, step: 1 }, '2'],
    ['randomize', '1', { min: -Number.MAX_VALUE, max: Number.MAX_VALUE, step: 1e300 }, Number.MAX_VALUE],
  ] as const)('of a number, %s after %s by %j', (mode, before, options, after) => {
    expect(next(before, mode, input('FLOAT', options))).toBe(after)
  })

  test.each([
    ['increment', 'a', undefined, 'b'],
    ['increment', 'c', undefined, 'c'],
    ['increment-wrap', 'c', undefined, 'a'],
    ['decrement', 'a', undefined, 'a'],
    ['randomize', 'a', undefined, 'c'],
    ['randomize', 'a', 'B', 'b'],
    ['randomize', 'a', '/^[ab]$/', 'b'],
    ['randomize', 'a', '/(/', 'c'],
    ['increment', 'gone', undefined, 'a'],
  ] as const)('of a choice, %s after %s with the filter %s', (mode, before, filter, after) => {
    expect(next(before, mode, input('COMBO', {}, ['a', 'b', 'c']), filter)).toBe(after)
  })

  test('of an empty list, or of what is no number, is the value itself', () => {
    expect(next('a', 'increment', input('COMBO', {}, []))).toBe('a')
    const of = { input: input('INT', seed), random: most }
    expect(nextValue('x', 'increment', of)).toBe('x')
    expect(nextValue(null, 'randomize', of)).toBe(null)
  })
})

describe('a run', () => {
  test('sends the seed that is shown, and the next one is shown after it', () => {
    const document = documentOf([sampler(1, 'increment')])
    const { document: sent, next } = run(document)
    expect(valuesOf(sent)).toBe('[1,"increment",20,8,"euler","normal",1]')
    expect(valuesOf(next)).toBe('[2,"increment",20,8,"euler","normal",1]')
    expect(writeJson(writeDocument(document))).toBe(writeJson(writeDocument(sent)))
  })

  test('may move the seed on before it, but not the first time', () => {
    const document = documentOf([sampler(1, 'increment')])
    const first = run(document, { mode: 'before', isFirst: true })
    expect([first.document, first.next]).toEqual([document, document])
    const second = run(document, { mode: 'before' })
    expect(valuesOf(second.document)).toBe(valuesOf(second.next))
    expect(valuesOf(second.next)).toContain('[2,')
  })

  test('of some outputs alone leaves seeds as they are', () => {
    const document = documentOf([sampler(1, 'randomize')])
    expect(run(document, { isPartial: true }).next).toBe(document)
  })

  test('has choices made in its prompts; the editor keeps them', () => {
    const document = documentOf([{ id: 1, type: 'CLIPTextEncode', widgets_values: ['a {red|blue} ball'] }])
    const { document: sent, next } = run(document)
    expect(valuesOf(sent)).toBe('["a blue ball"]')
    expect(next).toBe(document)
  })

  test('leaves a seed alone that comes from elsewhere, and moves the primitive that it comes from', () => {
    const linked = sampler(1, 'randomize', {
      inputs: [{ name: 'seed', type: 'INT', link: 1, widget: { name: 'seed' } }],
    })
    const primitive = {
      id: 7,
      type: 'PrimitiveNode',
      outputs: [{ name: 'INT', type: 'INT', links: [1] }],
      widgets_values: [41, 'increment'],
    }
    const document = documentOf([linked, primitive], { links: [[1, 7, 0, 3, 0, 'INT']] })
    const { next } = run(document)
    expect(next.nodes.items[0]).toBe(document.nodes.items[0])
    expect(valuesOf(next, 1)).toBe('[42,"increment"]')
  })

  const definition = (node: object) => ({
    definitions: {
      subgraphs: [
        {
          id: 'sub',
          name: 'Sub',
          inputs: [{ id: 'i', name: 'seed', type: 'INT', linkIds: [1] }],
          outputs: [],
          nodes: [node],
          links: [{ id: 1, origin_id: -10, origin_slot: 0, target_id: 3, target_slot: 0, type: 'INT' }],
        },
      ],
    },
  })
  const slot = { name: 'seed', type: 'INT', link: 1, widget: { name: 'seed' } }
  const sentSeed = (document: WorkflowDocument) =>
    writeJson(toPayload(document, TYPES, 0).payload).match(/"seed":(\d+)/)?.[1]

  test.each([
    ['that the host holds', { inputs: [{ ...slot, link: null }], widgets_values: [41] }, '41', '42'],
    ['that lives inside', { properties: { proxyWidgets: [['3', 'seed']] }, widgets_values: [] }, '1', '2'],
  ])('moves a seed on within a subgraph, %s', (_, host, before, after) => {
    const inner = sampler(1, 'increment', { inputs: [slot] })
    const document = documentOf([{ id: 57, type: 'sub', ...host }], definition(inner))
    const { document: sent, next } = run(document)
    expect([sentSeed(sent), sentSeed(next)]).toEqual([before, after])
  })

  test('of classes that name the word of the control themselves', () => {
    const types = readNodeTypes(
      json({
        Mine: { input: { required: { n: ['FLOAT', { control_after_generate: 'fixed', step: 0.5 }] } } },
      }) as JsonObject,
    )
    const document = documentOf([{ id: 1, type: 'Mine', widgets_values: [1.5, 'increment'] }])
    expect(valuesOf(resolveDocument(document, types, { random: most, isFirst: false }).next)).toBe('[2,"increment"]')
  })
})
