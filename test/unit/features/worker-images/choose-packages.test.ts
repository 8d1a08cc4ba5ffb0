import { describe, expect, test } from 'vitest'
import {
  choosePackages,
  type Evidence,
  optionText,
} from '../../../../src-main/features/worker-images/rules/choose-packages.ts'
import { COMMIT } from './support.ts'

const NOTHING: Evidence = { given: [], locked: [], served: new Map(), installed: [], index: new Map() }
const stated = (id?: string, repository?: string, version?: string) => ({ id, repository, version })
const GITHUB = 'https://github.com/ann/Ink-Nodes'

function choose(named: readonly ReturnType<typeof stated>[], evidence: Partial<Evidence> = {}) {
  const { packages, choices, unknown } = choosePackages([{ name: 'Ink', stated: named }], { ...NOTHING, ...evidence })
  return {
    packages: packages.map(({ name, source }) => ({ name, source })),
    options: choices.map(({ options }) => options.map(optionText)),
    unknown,
  }
}

describe('the package of a class', () => {
  test.each([
    [
      'a release of the registry',
      stated('ink-nodes', 'ann/Ink-Nodes', '1.2.0'),
      { registry: 'ink-nodes', version: '1.2.0' },
    ],
    ['a commit of its repository', stated('ink-nodes', 'ann/Ink-Nodes', COMMIT), { repository: GITHUB, ref: COMMIT }],
    ['the newest of its repository', stated('ink-nodes', 'ann/Ink-Nodes', 'nightly'), { repository: GITHUB }],
    ['the newest of the registry', stated('ink-nodes', undefined, undefined), { registry: 'ink-nodes' }],
    ['a repository alone', stated(undefined, 'ann/Ink-Nodes', 'v2'), { repository: GITHUB, ref: 'v2' }],
  ])('is %s, as the graph says', (_name, one, source) => {
    expect(choose([one]).packages).toMatchObject([{ source }])
  })

  test('is that of an environment, by the name of its folder, repository or id', () => {
    const source = { repository: 'https://github.com/bob/ink_nodes.git', ref: COMMIT }
    const found = choose([stated('ink-nodes', undefined, '1.2.0')], { installed: [{ name: 'other', source }] })
    expect(found.packages).toEqual([{ name: 'ink-nodes', source }])
  })

  test('is the folder of the server, which the graph or the index says the source of', () => {
    const served = new Map([['Ink', 'Ink-Nodes']])
    const one = choose([stated('ink-nodes', undefined, '1.2.0')], { served })
    expect(one.packages).toEqual([{ name: 'Ink-Nodes', source: { registry: 'ink-nodes', version: '1.2.0' } }])
    const index = new Map([
      [
        'Ink',
        [
          { name: 'Other', address: 'https://github.com/bob/other' },
          { name: 'Ink', address: GITHUB },
        ],
      ],
    ])
    expect(choose([], { served, index }).packages).toEqual([{ name: 'Ink-Nodes', source: { repository: GITHUB } }])
  })

  test('is asked for if the server has it from another package than the graph', () => {
    const served = new Map([['Ink', 'other']])
    const installed = [{ name: 'other', source: { registry: 'other', version: '3.0.0' } }]
    expect(choose([stated('ink-nodes', undefined, '1.2.0')], { served, installed })).toEqual({
      packages: [],
      options: [['--nodes other=registry:other@3.0.0', '--nodes ink-nodes=registry:ink-nodes@1.2.0']],
      unknown: [],
    })
  })

  test('is the one that the user names, by name or by its files', () => {
    const source = { path: './ink' }
    const one = stated('ink-nodes', undefined, '1.2.0')
    expect(choose([one], { given: [{ name: 'ink_nodes', source }] }).packages).toEqual([{ name: 'ink_nodes', source }])
    expect(choose([one], { given: [{ name: 'x', source, classes: ['Ink'] }] }).packages).toEqual([
      { name: 'x', source },
    ])
    expect(choose([], { given: [{ name: 'x', source, classes: [] }] })).toMatchObject({
      packages: [{ source }],
      unknown: [],
    })
  })

  test('is not known without any word of it', () => {
    const other = { name: 'x', source: { path: './x' }, classes: ['Other'] }
    expect(choose([], { given: [other] })).toMatchObject({ packages: [{ name: 'x' }], unknown: ['Ink'] })
  })

  test('of two that the user names is both, so that the conflict is seen', () => {
    const given = ['a', 'b'].map((name) => ({ name, source: { path: `./${name}` }, classes: ['Ink'] }))
    expect(choose([], { given }).packages.map(({ name }) => name)).toEqual(['a', 'b'])
  })
})
