import { describe, expect, it } from 'vitest'
import { type ArtifactContents, artifactPieces } from '../../../../src-main/features/apps/rules/artifact-pieces.ts'

const contents = (more: Partial<ArtifactContents>): ArtifactContents => ({
  project: [],
  generated: [],
  packages: [],
  wanted: [],
  imported: [],
  ...more,
})
const sum = (pieces: readonly { bytes: number; files: number }[]) => ({
  bytes: pieces.reduce((all, { bytes }) => all + bytes, 0),
  files: pieces.reduce((all, { files }) => all + files, 0),
})

describe('the pieces of an artifact', () => {
  it('are its files, its packages and what is generated, the largest first', () => {
    const pieces = artifactPieces(
      contents({
        project: [
          { path: 'api.py', bytes: 50 },
          { path: 'data/words.txt', bytes: 900 },
        ],
        generated: [
          { path: 'svc/__init__.py', bytes: 10 },
          { path: 'svc/_http.py', bytes: 20 },
          { path: 'handler_api.py', bytes: 7 },
          { path: 'svc_manifest.json', bytes: 8 },
        ],
        packages: [{ name: 'tabulate', version: '0.9', bytes: 300, files: 4, modules: ['tabulate'] }],
      }),
    )
    expect(pieces).toEqual([
      { path: 'data/words.txt', kind: 'project', bytes: 900, files: 1 },
      { path: 'tabulate', kind: 'package', bytes: 300, files: 4, version: '0.9' },
      { path: 'api.py', kind: 'project', bytes: 50, files: 1 },
      { path: 'svc', kind: 'generated', bytes: 30, files: 2 },
      { path: 'handlers and manifest', kind: 'generated', bytes: 15, files: 2 },
    ])
  })

  it('join the small files of a folder, and small folders into the one around them', () => {
    const pieces = artifactPieces(
      contents({
        project: [
          { path: 'model.bin', bytes: 100_000 },
          ...Array.from({ length: 90 }, (_none, at) => ({ path: `src/inner/f${at}.py`, bytes: 3 })),
          ...Array.from({ length: 90 }, (_none, at) => ({ path: `src/g${at}.py`, bytes: 10 })),
          { path: 'a.py', bytes: 1 },
          { path: 'lib/deep/b.py', bytes: 2 },
        ],
      }),
    )
    expect(pieces).toEqual([
      { path: 'model.bin', kind: 'project', bytes: 100_000, files: 1 },
      { path: 'src', kind: 'project', bytes: 1170, files: 180 },
      { path: '.', kind: 'project', bytes: 3, files: 2 },
    ])
  })

  it('join small packages, unless it is a single one', () => {
    const named = (name: string, bytes: number) => ({ name, version: '1', bytes, files: 1, modules: [name] })
    const all = [named('large', 10_000), named('s', 1), named('t', 2)]
    expect(artifactPieces(contents({ packages: all })).at(-1)).toEqual({
      path: 'other packages',
      kind: 'package',
      bytes: 3,
      files: 2,
    })
    expect(artifactPieces(contents({ packages: all.slice(0, 2) })).at(-1)).toMatchObject({ path: 's', version: '1' })
  })

  it.each([1, 100, 5000])('are at most 300 and lose no byte, of %i folders with as many packages', (count) => {
    const project = Array.from({ length: count * 3 }, (_none, at) => ({
      path: `d${at % count}/e${at % 7}/f${at}.py`,
      bytes: 1 + ((at * 7919) % 4000),
    }))
    const packages = Array.from({ length: count }, (_none, at) => ({
      name: `p${at}`,
      version: '1',
      bytes: (at * 104_729) % 9000,
      files: 3,
      modules: [],
    }))
    const pieces = artifactPieces(contents({ project, packages }))
    expect(pieces.length).toBeLessThanOrEqual(300)
    expect(sum(pieces)).toEqual(sum([...project.map((file) => ({ ...file, files: 1 })), ...packages]))
  })

  it('of nothing are none', () => {
    expect(artifactPieces(contents({}))).toEqual([])
  })
})
