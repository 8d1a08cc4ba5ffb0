import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { WorkflowLock } from '../../../../src-main/contract/worker-images.ts'
import { isLockText, readLock, writeLock } from '../../../../src-main/features/worker-images/rules/lock-file.ts'
import { COMMIT, lockOf, OTHER_COMMIT, SHA } from './support.ts'

const TEXT = `# Studio, for the fair.
schema: drydock-workflow-lock/1
comfyui:
  version: 0.3.40
  repository: https://github.com/comfyanonymous/ComfyUI
  commit: ${COMMIT} # of March
base: { image: python:3.12-slim-bookworm, python: "3.12" }
nodes:
  # draws
  - name: ink
    source: { repository: https://github.com/ann/ink, commit: ${COMMIT} }
    classes: [Ink]
    note: ours

  - name: paint-nodes # paints
    source:
      registry: paint-nodes
      version: '1.2.0'
    requirements:
      - numpy>=1.26 # as of 1.2
models:
  - folder: checkpoints
    name: lamp.safetensors
    sha256: ${SHA}
    delivery: baked
owner: ann
`
const [INK, PAINT] = [0, 1]

function changed(change: (lock: WorkflowLock) => void): string {
  const lock = readLock(TEXT)
  change(lock)
  return writeLock(lock, TEXT)
}

describe('a lock', () => {
  test('is written back as it was', () => {
    expect(isLockText(TEXT)).toBe(true)
    expect(changed(() => undefined)).toBe(TEXT)
  })

  test('changes in the lines of a version alone', () => {
    const text = changed(({ nodes }) => {
      Object.assign(nodes[INK] ?? {}, { source: { repository: 'https://github.com/ann/ink', commit: OTHER_COMMIT } })
      Object.assign(nodes[PAINT] ?? {}, { source: { registry: 'paint-nodes', version: '1.10.0' } })
    })
    expect(text).toBe(
      TEXT.replace(`ink, commit: ${COMMIT}`, `ink, commit: ${OTHER_COMMIT}`).replace("'1.2.0'", "'1.10.0'"),
    )
  })

  test('keeps comments and unknown keys where entries come and go', () => {
    const text = changed((lock) => {
      lock.nodes.splice(INK, 1)
      lock.nodes.push({ name: 'more', source: { path: './more' }, classes: [], requirements: [] })
    })
    expect(text).toContain('# Studio, for the fair.\n')
    expect(text).toContain('# of March\n')
    expect(text).toContain('  - name: paint-nodes # paints\n')
    expect(text).toContain('      - numpy>=1.26 # as of 1.2\n')
    expect(text).toContain('  - name: more\n    source:\n      path: ./more\n')
    expect(text).toContain('owner: ann\n')
    expect(text).not.toContain('ours')
  })

  test('reads a version that looks like a number as it is written', () => {
    expect(readLock(TEXT.replace("'1.2.0'", '1.10')).nodes[PAINT]?.source).toEqual({
      ...{ registry: 'paint-nodes', version: '1.10' },
    })
  })

  test.each([
    ['another schema', TEXT.replace('lock/1', 'lock/2')],
    ['a shortened commit', TEXT.replace(COMMIT, COMMIT.slice(0, 8))],
    ['a folder outside of custom_nodes', TEXT.replace('name: ink', 'name: ../ink')],
    ['no YAML', '{'],
  ])('with %s is refused', (_name, text) => {
    expect(() => readLock(text)).toThrow(/^it is not /)
  })

  const word = fc.string({ minLength: 1, maxLength: 20 })
  const node = fc.record({
    name: fc.stringMatching(/^[a-z][\w.+ -]{0,10}[a-z]$/),
    source: fc.oneof(
      fc.record({ registry: word, version: word }),
      fc.record({ repository: word, commit: fc.constantFrom(COMMIT, OTHER_COMMIT) }),
      fc.record({ path: word }),
    ),
    classes: fc.array(word, { maxLength: 3 }),
    requirements: fc.array(word, { maxLength: 3 }),
  })
  const nodes = fc.uniqueArray(node, { selector: ({ name }) => name, maxLength: 4 })

  test('says what it was written from, whatever it replaces', () => {
    fc.assert(
      fc.property(nodes, nodes, fc.dictionary(word, fc.string()), (before, after, environment) => {
        const old = writeLock(lockOf({ nodes: before }))
        const lock = lockOf({ nodes: after, environment })
        expect(readLock(writeLock(lock))).toEqual(lock)
        expect(readLock(writeLock(lock, old))).toEqual(lock)
        expect(writeLock(lock, writeLock(lock))).toBe(writeLock(lock))
      }),
      { numRuns: 40 },
    )
  })
})

test('a huge text is refused before it is parsed', () => {
  const huge = `${TEXT}note: [${'é,'.repeat(700_000)}]\n`
  expect(() => readLock(huge)).toThrow('it is larger than 2048 KiB')
  expect(isLockText('\n'.repeat(2_000_000))).toBe(false)
})
