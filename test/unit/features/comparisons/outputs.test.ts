import { describe, expect, it } from 'vitest'
import type { ComparisonRules } from '../../../../src-main/contract/compare.ts'
import { compareOutputs, type Pixels, withTime } from '../../../../src-main/features/comparisons/rules/outputs.ts'

const completed = (output: unknown, stream: readonly unknown[] = []) => ({
  ...{ status: 'COMPLETED', error: undefined, output, stream },
})

function grey(width: number, height: number, value: (at: number) => number): Pixels {
  const data = new Uint8Array(width * height * 4)
  for (let at = 0; at < width * height; at++) data.set([value(at), value(at), value(at), 255], at * 4)
  return { width, height, data }
}

const PICTURES: Readonly<Record<string, Pixels | 'unread'>> = {
  plain: grey(16, 16, (at) => at),
  spot: grey(16, 16, (at) => (at === 0 ? 200 : at)),
  small: grey(8, 8, () => 0),
  webp: 'unread',
}

const compare = (a: unknown, b: unknown, rules: ComparisonRules = {}) =>
  compareOutputs(completed(a), completed(b), rules, (text) => PICTURES[text])

const told = (a: unknown, b: unknown, rules?: ComparisonRules) =>
  compare(a, b, rules).differences.map(({ path, kind, text }) => [path, kind, text])

describe('two outputs', () => {
  it('that are equal do not differ, in whatever order their keys are', () => {
    expect(compare({ a: [1, { b: null }], c: 'x' }, { c: 'x', a: [1, { b: null }] })).toEqual({
      ...{ score: 0, count: 0, differences: [] },
    })
  })

  it('differ by path, the largest difference first', () => {
    expect(told({ n: 100, gone: 1, list: [1, 2] }, { n: 101, more: [], list: [1, 2, 3] })).toEqual([
      ['gone', 'missing', 'missing, was 1'],
      ['list[2]', 'added', 'added: 3'],
      ['more', 'added', 'added: a list'],
      ['n', 'value', '101 instead of 100'],
    ])
  })

  it.each<[number, number, ComparisonRules, boolean]>([
    [1, 1.1, { absolute: 0.2 }, true],
    [1, 1.3, { absolute: 0.2 }, false],
    [1000, 1009, { relative: 0.01 }, true],
    [1000, 1020, { relative: 0.01 }, false],
    [0, 0, {}, true],
    [1, 1 + Number.EPSILON, {}, false],
  ])('with %d and %d are compared with %j', (a, b, rules, isSame) => {
    expect(compare({ x: a }, { x: b }, rules).count === 0).toBe(isSame)
  })

  it('tell long numbers apart that a double would not', () => {
    expect(compare({ seed: 12345678901234567890n }, { seed: 12345678901234567891n }).count).toBe(1)
  })

  it.each([
    ['meta', true],
    ['meta.seed', true],
    ['*.seed', true],
    ['**.seed', true],
    ['meta.other', false],
    ['seed', false],
  ])('leave out the path %s', (path, isSame) => {
    expect(compare({ meta: { seed: 1 } }, { meta: { seed: 2 } }, { ignore: [path] }).count === 0).toBe(isSame)
  })

  it('leave out places of lists', () => {
    const [a, b] = [{ steps: [{ ms: 1, n: 1 }] }, { steps: [{ ms: 2, n: 1 }] }]
    for (const path of ['steps[*].ms', 'steps.*.ms', 'steps[0].ms'])
      expect(compare(a, b, { ignore: [path] }).count).toBe(0)
    expect(compare(a, b, { ignore: ['steps[1].ms'] }).count).toBe(1)
  })

  it('that are texts differ by their lines', () => {
    const [first] = compare('a\nb\nc\nd', 'a\nB\nc\nd').differences
    expect(first).toEqual({
      path: '',
      kind: 'text',
      text: '2 changed lines of 4\n@@ line 2 @@\n a\n-b\n+B\n c',
      score: 0.25,
    })
  })

  it('of other states differ most', () => {
    const failed = { status: 'FAILED', error: 'Traceback\nValueError: no', output: undefined, stream: [] }
    const found = compareOutputs(completed(1), failed, {}, () => undefined)
    expect(found.differences).toEqual([
      { path: '', kind: 'state', text: 'FAILED instead of COMPLETED: ValueError: no', score: 2 },
    ])
    expect(compareOutputs(failed, { ...failed, error: 'other lines\nValueError: no' }, {}, () => undefined).count).toBe(
      0,
    )
    expect(compareOutputs(failed, { ...failed, error: 'KeyError' }, {}, () => undefined).count).toBe(1)
  })

  it('that were streamed are joined before they are compared', () => {
    const a = completed(['Hel', 'lo'], ['Hel', 'lo'])
    expect(compareOutputs(a, completed(['Hello'], ['Hello']), {}, () => undefined).count).toBe(0)
    const [first] = compareOutputs(a, completed(['Hella'], ['Hella']), {}, () => undefined).differences
    expect(first).toMatchObject({ path: '(stream)', kind: 'value', text: '"Hella" instead of "Hello"' })
  })
})

describe('two pictures', () => {
  it('differ by share, distance and similarity', () => {
    const [first] = compare({ image: 'plain' }, { image: 'spot' }).differences
    expect(first).toMatchObject({ path: 'image', kind: 'picture', picture: { share: 1 / 256, distance: 200 } })
    expect(first?.picture?.similarity).toBeGreaterThan(0.5)
    expect(first?.picture?.similarity).toBeLessThan(1)
  })

  it.each<[ComparisonRules, boolean]>([
    [{ distance: 199 }, false],
    [{ distance: 200 }, true],
    [{ pixels: 1 / 257 }, false],
    [{ pixels: 1 / 256 }, true],
    [{ similarity: 0.5 }, true],
    [{ similarity: 0.9999 }, false],
  ])('are the same by %j: %s', (rules, isSame) => {
    expect(compare('plain', 'spot', rules).count === 0).toBe(isSame)
  })

  it('of different sizes, of formats that are not decoded, and with texts count as different', () => {
    expect(told('plain', 'small')).toEqual([['', 'picture', '8 × 8 instead of 16 × 16 pixels']])
    expect(told('plain', 'webp')).toEqual([['', 'picture', 'other bytes; only PNG and JPEG are compared by pixels']])
    expect(told('plain', 'a word')).toEqual([['', 'picture', 'no picture any more']])
  })
})

it.each<[number, number, number | undefined, boolean]>([
  [100, 1000, undefined, true],
  [100, 200, 2, true],
  [100, 201, 2, false],
  [1, 51, 2, true],
  [1, 52, 2, false],
])('a job of %d ms and one of %d ms with slower: %s', (before, after, slower, isSame) => {
  const found = withTime(compare(1, 1), [before, after], slower === undefined ? {} : { slower })
  expect(found.outcome).toBe(isSame ? 'same' : 'differs')
})
