import { describe, expect, it } from 'vitest'
import { type ArtifactContents, suggestExcludes } from '../../../../src-main/features/apps/rules/artifact-pieces.ts'

const MB = 1024 * 1024

const suggest = (more: Partial<ArtifactContents>) =>
  suggestExcludes({ project: [], generated: [], packages: [], wanted: [], imported: [], ...more }).map(
    ({ path, how, entry, bytes }) => ({ path, how, entry, bytes }),
  )
const files = (...given: (readonly [path: string, bytes: number])[]) => given.map(([path, bytes]) => ({ path, bytes }))
const pack = (name: string, bytes = 2 * MB, modules: readonly string[] = [name]) => ({
  name,
  version: '1',
  bytes,
  files: 9,
  modules,
})

describe('packages that could stay out', () => {
  it('are those that images have', () => {
    expect(suggest({ packages: [pack('numpy'), pack('pandas')], imported: ['numpy', 'pandas'] })).toEqual([
      { path: 'numpy', how: 'exclude', entry: 'numpy', bytes: 2 * MB },
    ])
  })

  it('are those that the app asks for and no file imports, by the names that they are imported by', () => {
    const packages = [pack('pillow', 2 * MB, ['PIL']), pack('plotly'), pack('needed-by-plotly')]
    const given = { packages, wanted: ['pillow', 'plotly'], imported: ['PIL'] }
    expect(suggest(given)).toEqual([{ path: 'plotly', how: 'exclude', entry: 'plotly', bytes: 2 * MB }])
  })

  it('are empty if a file imports what only it knows', () => {
    const { imported: _imported, ...rest } = { packages: [pack('plotly')], wanted: ['plotly'], imported: [] }
    expect(suggestExcludes({ ...rest, project: [], generated: [], imported: undefined })).toEqual([])
  })

  it('are large: one byte below 1 MB is left alone', () => {
    const given = (bytes: number) => suggest({ packages: [pack('plotly', bytes)], wanted: ['plotly'] })
    expect([given(MB - 1), given(MB), given(MB + 1)].map(({ length }) => length)).toEqual([0, 1, 1])
  })
})

it.each([49, 50, 51])('of %i suggestions the 50 largest are made', (count) => {
  const project = Array.from({ length: count }, (_none, at) => ({ path: `f${at}.log`, bytes: 2 * MB + at }))
  const made = suggest({ project: [...project, { path: 'main.py', bytes: 1 }] })
  expect(made).toHaveLength(Math.min(count, 50))
  expect(made[0]?.path).toBe(`f${count - 1}.log`)
})

describe('parts of the project that could stay out', () => {
  it('are large files of kinds that code seldom reads', () => {
    const project = files(
      ['main.py', 3 * MB],
      ['a/weights.safetensors', 9 * MB],
      ['a/load.py', 10],
      ['b.ipynb', 2 * MB],
    )
    expect(suggest({ project })).toEqual([
      { path: 'a/weights.safetensors', how: 'ignore', entry: '/a/weights.safetensors', bytes: 9 * MB },
      { path: 'b.ipynb', how: 'ignore', entry: '/b.ipynb', bytes: 2 * MB },
    ])
  })

  it('are whole folders that hold little else and no code', () => {
    const project = files(['data/1.csv', MB], ['data/2.csv', MB], ['data/README.md', 10], ['main.py', 10])
    expect(suggest({ project })).toEqual([{ path: 'data/', how: 'ignore', entry: '/data/', bytes: 2 * MB + 10 }])
  })

  it('are folders that hold no code of an app by their names', () => {
    const project = files(['pkg/notebooks/x.py', MB], ['pkg/notebooks/y.json', MB], ['pkg/main.py', 10])
    expect(suggest({ project })).toEqual([
      { path: 'pkg/notebooks/', how: 'ignore', entry: '/pkg/notebooks/', bytes: 2 * MB },
    ])
  })

  it('are named by a pattern that means nothing else', () => {
    expect(suggest({ project: files(['run [1]*.log', 2 * MB], ['x.py', 1]) })).toMatchObject([
      { entry: '/run \\[1\\]\\*.log' },
    ])
  })

  it('are empty for a project that is its own code', () => {
    expect(
      suggest({ project: files(['main.py', 5 * MB], ['constructor/x.py', 5 * MB], ['words.txt', 5 * MB]) }),
    ).toEqual([])
  })
})
