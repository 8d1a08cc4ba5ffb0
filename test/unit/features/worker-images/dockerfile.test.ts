import { describe, expect, test } from 'vitest'
import { LOCK_SCHEMA, UnusableLock, workflowLock } from '../../../../src-main/contract/worker-images.ts'
import { type ImageOptions, imageFiles } from '../../../../src-main/features/worker-images/rules/dockerfile.ts'

const COMMIT = '0123456789'.repeat(4)
const SHA256 = 'ab'.repeat(32)
const MIB = 1024 * 1024

function lockOf(change: Readonly<Record<string, unknown>> = {}) {
  return workflowLock.parse({
    schema: LOCK_SCHEMA,
    comfyui: { repository: 'https://example.com/ComfyUI', commit: COMMIT, version: '0.3.60' },
    base: { image: 'python:3.11-slim', python: '3.11' },
    ...change,
  })
}

const made = (change?: Readonly<Record<string, unknown>>, options: Partial<ImageOptions> = {}) =>
  imageFiles(lockOf(change), { programs: {}, ...options })

/** Instructions as an engine reads them: continued lines joined, comments left out. */
const instructions = (dockerfile: string) =>
  dockerfile
    .replace(/^#.*\n/gm, '')
    .replaceAll('\\\n', '')
    .split('\n')
    .flatMap((line) => line.split(' ', 1)[0] || [])

function problemsOf(change: Readonly<Record<string, unknown>>, options?: Partial<ImageOptions>): readonly string[] {
  try {
    made(change, options)
    return []
  } catch (error) {
    if (error instanceof UnusableLock) return error.problems
    throw error
  }
}

const model = (name: string, sizeBytes?: number, more = {}) => ({
  folder: 'loras',
  name,
  sizeBytes,
  source: `https://example.com/${name}`,
  ...more,
})

describe('the Dockerfile of a lock', () => {
  test('has layers in the order in which they rarely change, whatever the order in the lock', () => {
    const nodes = ['rain', 'clouds'].map((name) => ({ name, source: { registry: name, version: '1.0' } }))
    const python = ['b', 'a'].map((name) => ({ name, version: '1', sha256: [SHA256], wantedBy: [] }))
    const change = { nodes, python, models: [model('b'), model('a')] }
    const options = { bake: 'all', workflow: { name: 'cat.json', text: '{}' } } as const
    const { steps, dockerfile } = made(change, options)
    expect(steps.map(({ title }) => title)).toEqual([
      'base image python:3.11-slim',
      'ComfyUI 0.3.60',
      '2 Python packages',
      'custom nodes clouds 1.0',
      'custom nodes rain 1.0',
      'model loras/a',
      'model loras/b',
      'workflow cat.json',
    ])
    const turned = { nodes: nodes.toReversed(), python: python.toReversed(), models: change.models.toReversed() }
    expect(made(turned, options).dockerfile).toBe(dockerfile)
  })

  test('checks the hashes of Python packages if all are known', () => {
    const packages = [{ name: 'six', version: '1.16.0', sha256: [SHA256], wantedBy: ['a'] }]
    const { files, dockerfile } = made({ python: packages })
    expect(files.find(({ path }) => path === 'requirements.txt')?.text).toBe(
      `six==1.16.0 \\\n    --hash=sha256:${SHA256}\n`,
    )
    expect(dockerfile).toContain('--require-hashes')
    const unhashed = made({ python: [...packages, { name: 'b', version: '1', wantedBy: [] }] })
    expect(unhashed.dockerfile).not.toContain('--require-hashes')
  })

  test('keeps what the base image provides when custom nodes install more', () => {
    const { files } = made({ base: { image: 'a', python: '3.11', provides: { torch: '2.4.0+cu121' } } })
    expect(files.find(({ path }) => path === 'constraints.txt')?.text).toBe('torch==2.4.0+cu121\n')
  })

  test('fetches public repositories in the build, and copies all others from this machine', () => {
    const nodes = [
      { name: 'a', source: { repository: 'https://example.com/a', commit: COMMIT } },
      { name: 'b', source: { repository: '../b', commit: COMMIT } },
      { name: 'c', source: { path: './c' } },
      { name: 'd', source: { repository: 'git@example.com:d.git', commit: COMMIT } },
    ]
    const { sources, dockerfile } = made({ nodes })
    expect(sources).toEqual([
      { path: 'sources/nodes/b', repository: '../b', commit: COMMIT },
      { path: 'sources/nodes/c', nodes: './c', sha256: undefined },
      { path: 'sources/nodes/d', repository: 'git@example.com:d.git', commit: COMMIT },
    ])
    expect(dockerfile).toContain(`fetch.py git https://example.com/a ${COMMIT} /comfyui/custom_nodes/a`)
  })
})

describe('models', () => {
  const models = [
    model('small', 256 * MIB),
    model('large', 256 * MIB + 1),
    model('unknown'),
    model('said', 1, { delivery: 'mounted' }),
  ]
  const placed = (bake?: ImageOptions['bake']) =>
    Object.fromEntries(
      made({ models }, { bake }).models.map(({ name, delivery }) => [name.replace('loras/', ''), delivery]),
    )

  test('are in the image if they are small, unless the lock or the user says otherwise', () => {
    expect(placed()).toEqual({ small: 'baked', large: 'mounted', unknown: 'mounted', said: 'mounted' })
    expect(new Set(Object.values(placed('all')))).toEqual(new Set(['baked']))
    expect(new Set(Object.values(placed('none')))).toEqual(new Set(['mounted']))
    expect(placed(['large', 'loras/said'])).toEqual({
      small: 'mounted',
      large: 'baked',
      unknown: 'mounted',
      said: 'baked',
    })
  })

  test('that the lock lacks, or that are nowhere, are named before the build', () => {
    expect(problemsOf({ models }, { bake: ['lrage'] })).toEqual([
      '--bake lrage: the lock has no such model. It has loras/small, loras/large, loras/unknown, loras/said.',
    ])
    const nowhere = { models: [model('a', 1, { source: undefined })] }
    expect(problemsOf(nowhere)).toEqual([
      'The model loras/a has no address and is in no model folder. Give its folder with --models, or leave it out of the image with --bake none.',
    ])
    expect(problemsOf(nowhere, { ownModels: new Set(['loras/a']) })).toEqual([])
  })
})

// Lines of a Dockerfile, of a shell, of a requirements file and of YAML; options; and quotes.
const HOSTILE = [
  'a\nRUN touch /owned',
  'a\r\nENTRYPOINT ["/bin/sh"]',
  'a\u2028RUN touch /owned',
  'a\u0085RUN touch /owned',
  'a\\\nRUN touch /owned',
  '$(touch /owned)',
  '`touch /owned`',
  "a' && touch /owned '",
  'a"\\',
  'a,target=/etc',
  '--target=/owned',
  '-r /etc/passwd',
  '<<EOF',
  '$HOME $PATH',
  'a # syntax=example.com/owned',
  '../../etc/passwd',
]

/** Where a lock takes text. */
const PLACES: Readonly<Record<string, (text: string) => Readonly<Record<string, unknown>>>> = {
  'a repository': (text) => ({ comfyui: { repository: text, commit: COMMIT } }),
  'a web address': (text) => ({ comfyui: { repository: `https://example.com/${text}`, commit: COMMIT } }),
  'a version': (text) => ({ comfyui: { repository: 'a', commit: COMMIT, version: text } }),
  'a base image': (text) => ({ base: { image: text, python: '3.11' } }),
  'provided packages': (text) => ({ base: { image: 'a', python: '3.11', provides: { [text]: text } } }),
  'a registry': (text) => ({ nodes: [{ name: 'a', source: { registry: text, version: text } }] }),
  'a folder': (text) => ({ nodes: [{ name: 'a', source: { path: text } }] }),
  'Python packages': (text) => ({ python: [{ name: text, version: text, wantedBy: [] }] }),
  'a model': (text) => ({ models: [{ ...model('a'), folder: text, name: text, delivery: 'baked' }] }),
  'an address': (text) => ({ models: [{ ...model('a'), source: `https://example.com/${text}`, delivery: 'baked' }] }),
  'a host': (text) => ({ models: [{ ...model('a'), source: `https://${text}/a`, delivery: 'baked' }] }),
  'a mounted model': (text) => ({ models: [{ ...model('a'), folder: text, delivery: 'mounted' }] }),
  'a variable': (text) => ({ environment: { A: text } }),
  'the name of a variable': (text) => ({ environment: { [text]: 'a' } }),
  'a workflow': (text) => ({ workflow: { file: text, sha256: SHA256 } }),
}

describe('hostile text', () => {
  test.each(Object.entries(PLACES))('in %s is refused or stays one word', (_place, change) => {
    for (const text of HOSTILE) {
      if (problemsOf(change(text)).length > 0) continue
      const ours = instructions(made(change(text)).dockerfile)
      const plain = instructions(made(change('a')).dockerfile)
      expect(ours, text).toEqual(plain)
    }
  })

  test('that would end a line is refused everywhere, and the place is named', () => {
    for (const [place, change] of Object.entries(PLACES))
      for (const text of HOSTILE.filter((one) => /[\n\u2028\u0085]/.test(one))) {
        // An address is shown as URLs are written.
        if (place === 'an address' && problemsOf(change(text)).length === 0) continue
        expect(problemsOf(change(text)).join(), place).toContain('of the lock')
      }
  })

  test('is quoted for the shell and for ENV', () => {
    const { dockerfile } = made({
      comfyui: { repository: "https://example.com/a';touch /owned;'", commit: COMMIT },
      environment: { A: 'say "$HOME" \\' },
    })
    expect(dockerfile).toContain(`git 'https://example.com/a'\\'';touch /owned;'\\''' ${COMMIT}`)
    expect(dockerfile).toContain('ENV A="say \\"\\$HOME\\" \\\\"')
  })
})
