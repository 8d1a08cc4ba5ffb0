import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import type { ForeignFormat } from '../../../../src-main/contract/foreign-formats.ts'
import type { NodeSource, WorkflowLock } from '../../../../src-main/contract/worker-images.ts'
import {
  readEnvironment,
  writeEnvironment,
} from '../../../../src-main/features/worker-images/rules/formats/foreign-files.ts'
import { COMMIT, lockOf, OTHER_COMMIT, SHA } from './support.ts'

const BUILD = `schema: comfy-build/1
id: bld_123 # of the builder
name: Studio build
description: Reference pipeline
syncedRevision: revision-7
definition:
  schema: distribution-definition/0
  baseComfyVersion: v0.3.40
  baseImage: cuda130-py312
  models:
    # the one that everybody uses
    - type: checkpoints
      filename: lamp.safetensors
      sha256: ${SHA}
      sizeBytes: 7000000000
      sourceUri: https://models.example/lamp.safetensors
      note: 1.10
    - type: ultralytics/bbox
      filename: face.pt
      blobId: blob_1
  customNodes:
    - name: ink
      repository: https://github.com/ann/ink
      gitRef: ${COMMIT}
      source: git
    - name: paint-nodes
      id: paint-nodes
      registryVersion: 1.2.0
      source: registry
    - name: handmade
      repository: null
      gitRef: null
      source: local
  pipDependencies: |
    # Captured by comfy-cli
    numpy==1.26.4
  environment:
    os: Linux
    arch: x86_64
    pythonVersion: 3.12.3
    torch: null
  modelPolicy: {mode: allowlist, list: ["lamp.safetensors"]}
`
const OLD_SNAPSHOT = JSON.stringify(
  {
    comfyui: COMMIT,
    git_custom_nodes: {
      'https://github.com/ann/ink': { hash: COMMIT, disabled: false },
      'https://github.com/ann/off': { hash: OTHER_COMMIT, disabled: true },
    },
    file_custom_nodes: [{ filename: 'one.py', disabled: false }],
  },
  undefined,
  4,
)
const NEW_SNAPSHOT = `{
    "comfyui": "${COMMIT}",
    "git_custom_nodes": {
        "git@github.com:ann/ink.git": {
            "hash": "${COMMIT}",
            "disabled": false,
            "more": 1.0
        }
    },
    "cnr_custom_nodes": {
        "paint-nodes": "1.2.0"
    },
    "file_custom_nodes": [],
    "pips": {
        "numpy==1.26.4": "",
        "cstr @ git+https://github.com/ann/cstr@0520c29": "git+https://github.com/ann/cstr@0520c29"
    },
    "seed": 18446744073709551615
}
`
const YAML_SNAPSHOT = `custom_nodes:
  comfyui: ${COMMIT}
  file_custom_nodes:
  - disabled: false
    filename: one.py
  git_custom_nodes:
    https://github.com/ann/ink: # the newest
      disabled: false
      hash: ${COMMIT}
`
const COMFY_LOCK = `basics:
  name: studio
  updated_at: '2026-01-02T03:04:05'
custom_nodes:
  comfyui: ${COMMIT}
  git_custom_nodes:
    https://github.com/ann/ink:
      disabled: false
      hash: ${COMMIT}
models:
- model: lamp
  url: https://models.example/lamp.safetensors
  paths:
  - path: models/checkpoints/lamp.safetensors
  hashes:
  - hash: 0badcafe
    type: AutoV1
  - hash: ${SHA}
    type: SHA256
  type: checkpoint
- model: unplaced
  url: null
  paths: []
  hash: null
  type: null
`
const EMPTY_COMFY_LOCK = `basics:
  name: null
  updated_at: '2026-01-02T03:04:05'
custom_nodes: []
models: []
`
const SAMPLES: readonly (readonly [name: string, format: ForeignFormat, text: string])[] = [
  ['comfy-build.yaml', 'comfy-build', BUILD],
  ['a definition alone', 'comfy-build', JSON.stringify(parse(BUILD).definition, undefined, 4)],
  ['a snapshot without published packages', 'snapshot', OLD_SNAPSHOT],
  ['a snapshot with all of them', 'snapshot', NEW_SNAPSHOT],
  ['a snapshot in YAML', 'snapshot', YAML_SNAPSHOT],
  ['comfy-lock.yaml', 'comfy-lock', COMFY_LOCK],
  ['comfy-lock.yaml as comfy-cli writes it', 'comfy-lock', EMPTY_COMFY_LOCK],
]

/** The lock that says what the file says. */
function lockOfFile(text: string): WorkflowLock {
  const { comfyui, nodes, models } = readEnvironment(text)
  const isCommit = /^[0-9a-f]{40}$/.test(comfyui ?? '')
  return lockOf({
    comfyui: {
      commit: isCommit ? comfyui : COMMIT,
      ...(isCommit || comfyui === undefined ? {} : { version: comfyui }),
    },
    nodes: nodes.map(({ name, source }) => ({ name, source: exact(source as Record<string, string>) })),
    models,
  })
}

const exact = (source: Record<string, string>) =>
  ('ref' in source ? { repository: source.repository, commit: source.ref } : source) as NodeSource

const rewritten = (format: ForeignFormat, text: string, lock = lockOfFile(text)) =>
  writeEnvironment(format, lock, { previous: text, title: 'x' }).text

describe('files of other tools', () => {
  test.each(SAMPLES)('%s is recognised, and written back as it was', (_name, format, text) => {
    expect(readEnvironment(text).format).toBe(format)
    expect(rewritten(format, text)).toBe(text)
  })

  test('say what an environment is made of', () => {
    expect(readEnvironment(BUILD)).toEqual({
      format: 'comfy-build',
      comfyui: 'v0.3.40',
      python: '3.12.3',
      nodes: [
        { name: 'ink', source: { repository: 'https://github.com/ann/ink', ref: COMMIT } },
        { name: 'paint-nodes', source: { registry: 'paint-nodes', version: '1.2.0' } },
      ],
      models: [
        {
          ...{ folder: 'checkpoints', name: 'lamp.safetensors', sizeBytes: 7_000_000_000, sha256: SHA },
          source: 'https://models.example/lamp.safetensors',
        },
        { folder: 'ultralytics/bbox', name: 'face.pt' },
      ],
      requirements: ['numpy==1.26.4'],
    })
    expect(readEnvironment(OLD_SNAPSHOT).nodes).toEqual([
      { name: 'ink', source: { repository: 'https://github.com/ann/ink', ref: COMMIT } },
    ])
    expect(readEnvironment(NEW_SNAPSHOT).nodes).toEqual([
      { name: 'ink', source: { repository: 'git@github.com:ann/ink.git', ref: COMMIT } },
      { name: 'paint-nodes', source: { registry: 'paint-nodes', version: '1.2.0' } },
    ])
    expect(readEnvironment(COMFY_LOCK).models).toEqual([
      {
        ...{ folder: 'checkpoints', name: 'lamp.safetensors', sha256: SHA },
        source: 'https://models.example/lamp.safetensors',
      },
    ])
  })

  test('change only in the lines of what changed', () => {
    const lock = lockOfFile(BUILD)
    const [ink, paint] = lock.nodes
    const changed = {
      ...lock,
      nodes: [{ ...ink, source: { repository: 'https://github.com/ann/ink', commit: OTHER_COMMIT } }, paint],
    } as WorkflowLock
    expect(rewritten('comfy-build', BUILD, changed)).toBe(BUILD.replace(COMMIT, OTHER_COMMIT))
    expect(rewritten('snapshot', YAML_SNAPSHOT, { ...changed, nodes: changed.nodes.slice(0, 1) })).toBe(
      YAML_SNAPSHOT.replace(`hash: ${COMMIT}`, `hash: ${OTHER_COMMIT}`),
    )
    const snapshot = rewritten('snapshot', NEW_SNAPSHOT, { ...changed, nodes: changed.nodes.slice(0, 1) })
    expect(snapshot).toBe(
      NEW_SNAPSHOT.replace(`"hash": "${COMMIT}"`, `"hash": "${OTHER_COMMIT}"`).replace(
        '{\n        "paint-nodes": "1.2.0"\n    }',
        '{}',
      ),
    )
  })

  test('lose packages that the lock no longer has, and keep what they alone know', () => {
    const { nodes: _nodes, ...rest } = lockOfFile(BUILD)
    const { definition } = parse(rewritten('comfy-build', BUILD, { ...rest, nodes: [] }))
    expect(definition.customNodes.map(({ name }: { name: string }) => name)).toEqual(['handmade'])
    const off = JSON.parse(rewritten('snapshot', OLD_SNAPSHOT, { ...rest, nodes: [] }))
    expect(Object.keys(off.git_custom_nodes)).toEqual(['https://github.com/ann/off'])
  })

  test.each<ForeignFormat>(['comfy-build', 'snapshot', 'comfy-lock'])('%s is written from a lock alone', (format) => {
    const lock = lockOf({
      nodes: [
        { name: 'ink', source: { repository: 'https://github.com/ann/ink', commit: COMMIT } },
        { name: 'here', source: { path: '../here' } },
      ],
      models: [{ folder: 'loras', name: 'old/ink.safetensors', sha256: SHA, source: 'https://models.example/i' }],
      python: [{ name: 'numpy', version: '2.0.0', wantedBy: ['ink'] }],
    })
    const { text, left } = writeEnvironment(format, lock, { title: 'cat' })
    const read = readEnvironment(text)
    expect(read.format).toBe(format)
    expect(read.nodes).toEqual([{ name: 'ink', source: { repository: 'https://github.com/ann/ink', ref: COMMIT } }])
    expect(left).toEqual(format === 'comfy-build' ? [] : ['here'])
    if (format !== 'snapshot') expect(read.models).toMatchObject([{ folder: 'loras/old', name: 'ink.safetensors' }])
    expect(text).toContain('numpy==2.0.0'.slice(0, format === 'comfy-lock' ? 0 : undefined))
  })

  test.each([
    ['nothing', ''],
    ['a list', '- a\n'],
    ['aliases', 'schema: &a comfy-build/1\nname: *a\n'],
    ['two keys of one name', 'schema: comfy-build/1\nschema: comfy-build/1\n'],
    ['no YAML', 'a: [\n'],
    ['another file', 'a: 1\n'],
  ])('with %s are refused, with the reason', (_name, text) => {
    expect(() => readEnvironment(text)).toThrow(/^it /)
  })

  test('do not lead git or a path elsewhere', () => {
    const hostile = [
      'ext::sh -c touch% /tmp/x',
      '--upload-pack=touch /tmp/x',
      'file:///etc',
      '/etc/passwd',
      'https://-oProxyCommand=x/y',
      'ssh://-oProxyCommand=x/y',
      'http://plain.example/a/b',
      'https://user:secret@github.com/a/b',
    ]
    const text = stringify({
      schema: 'distribution-definition/0',
      customNodes: [
        ...hostile.map((repository) => ({ name: 'x', repository, gitRef: COMMIT })),
        { name: 'x', repository: 'https://github.com/a/b', gitRef: '--upload-pack=x' },
        { name: 'x', id: '../x', registryVersion: '1.0.0' },
        { name: 'x', id: 'x', registryVersion: '1.0.0/../..' },
      ],
    })
    expect(readEnvironment(text).nodes).toEqual([])
  })
})

const key = fc.oneof(fc.string(), fc.constantFrom('__proto__', '11', 'yes', 'null', '1.0', 'name'))
const scalar = fc.oneof(fc.string(), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean())
const anything = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 2 }, scalar, fc.constant(null), fc.array(tie('value')), fc.dictionary(key, tie('value'))),
})).value
const extra = fc.dictionary(
  fc.string({ minLength: 1 }).map((text) => `x-${text}`),
  anything,
)
const word = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/)
const cloned = fc.record({
  repository: word.map((name) => `https://github.com/ann/${name}`),
  gitRef: fc.constant(COMMIT),
})
const published = fc.record({ id: word, registryVersion: fc.constant('1.2.0') })
const nodeEntry = fc
  .tuple(word, fc.oneof(cloned, published, fc.record({ blobId: word }), fc.constant({})), extra)
  .map(([name, source, more]) => ({ ...more, ...source, name }))
const modelEntry = fc
  .tuple(word, word, extra)
  .map(([type, filename, more]) => ({ ...more, type, filename: `${filename}.pt` }))
const build = fc
  .tuple(fc.uniqueArray(nodeEntry, { selector: ({ name }) => name }), fc.array(modelEntry), extra, extra)
  .map(([customNodes, models, more, top]) => ({
    ...{ ...top, schema: 'comfy-build/1', name: 'x', description: '' },
    definition: { ...more, schema: 'distribution-definition/0', baseComfyVersion: 'v0.3.40', customNodes, models },
  }))
const snapshot = fc
  .tuple(
    fc.dictionary(
      word.map((name) => `https://github.com/ann/${name}`),
      extra.chain((more) => fc.boolean().map((disabled) => ({ ...more, hash: COMMIT, disabled }))),
    ),
    fc.dictionary(word, fc.constantFrom('1.2.0', '2.0.0')),
    fc.dictionary(fc.string(), fc.string()),
    extra,
  )
  .map(([git_custom_nodes, cnr_custom_nodes, pips, more]) => ({
    ...{ ...more, comfyui: COMMIT, git_custom_nodes, cnr_custom_nodes, file_custom_nodes: [], pips },
  }))

describe('files with unknown keys', () => {
  const writers = {
    YAML: (value: unknown) => stringify(value, { lineWidth: 0 }),
    JSON: (value: unknown) => JSON.stringify(value),
  }

  test.each(Object.entries(writers))('are written back as they were: %s', (_name, write) => {
    fc.assert(
      fc.property(fc.oneof(build, snapshot), (made) => {
        const text = write(made)
        expect(rewritten(readEnvironment(text).format, text)).toBe(text)
      }),
      { numRuns: 30 },
    )
  })

  test.each(Object.entries(writers))('keep all of them where a package changes: %s', (_name, write) => {
    fc.assert(
      fc.property(build, (made) => {
        const text = write(made)
        const lock = lockOfFile(text)
        const nodes = lock.nodes.map((node) =>
          'registry' in node.source ? { ...node, source: { ...node.source, version: '9.9.9' } } : node,
        )
        const { definition, ...top } = made
        const expected = {
          ...top,
          definition: {
            ...definition,
            customNodes: definition.customNodes.map((entry) =>
              'id' in entry ? { ...entry, registryVersion: '9.9.9', source: 'registry' } : entry,
            ),
          },
        }
        const back: unknown = parse(rewritten('comfy-build', text, { ...lock, nodes }))
        expect(back).toEqual(parse(write(expected)))
      }),
      { numRuns: 30 },
    )
  })
})
