import { expect, test } from 'vitest'
import type { NodeType } from '../../../src-main/features/workflows/rules/node-types.ts'
import {
  actionOf,
  type PressedKey,
  SHORTCUTS,
  type Shortcut,
  shownKeys,
} from '../../../src-renderer/features/workflow-editor/keys/shortcuts.ts'
import {
  categoriesOf,
  findNodeTypes,
  withSlot,
} from '../../../src-renderer/features/workflow-editor/palette/addable-nodes.ts'

const press = (key: string, more: Partial<PressedKey> = {}): PressedKey => {
  return { key, code: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more }
}

test.each([
  ['Ctrl+Z', press('z', { ctrlKey: true }), 'undo'],
  ['Cmd+Z', press('z', { metaKey: true }), 'undo'],
  ['Ctrl+Shift+Z', press('Z', { ctrlKey: true, shiftKey: true }), 'redo'],
  ['Ctrl+Y', press('y', { ctrlKey: true }), 'redo'],
  ['Alt+C of a keyboard that writes ç', press('ç', { altKey: true, code: 'KeyC' }), 'collapse'],
  ['.', press('.'), 'fit'],
  ['Alt+=', press('=', { altKey: true }), 'zoomIn'],
  ['Alt++ with Shift', press('+', { altKey: true, shiftKey: true }), 'zoomIn'],
  ['Shift+A', press('A', { shiftKey: true }), 'add'],
  ['c', press('c'), 'link'],
  ['Ctrl+C', press('c', { ctrlKey: true }), 'copy'],
  ['Ctrl+Shift+E', press('E', { ctrlKey: true, shiftKey: true }), 'subgraph'],
  ['x', press('x'), undefined],
] as const)('%s is heard', (_name, pressed, id) => {
  expect(actionOf(pressed, false)).toBe(id)
})

test('while somebody types, only keys that are no text of theirs are heard', () => {
  expect(actionOf(press('Enter', { ctrlKey: true }), true)).toBe('run')
  expect(actionOf(press('s', { ctrlKey: true }), true)).toBe('save')
  expect(actionOf(press('z', { ctrlKey: true }), true)).toBeUndefined()
  expect(actionOf(press('p'), true)).toBeUndefined()
})

test('no two actions have the same key, and each has a name of its own', () => {
  const all: readonly Shortcut[] = SHORTCUTS
  const keys = all.flatMap((one) => one.keys)
  expect(new Set(keys).size).toBe(keys.length)
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  expect(shownKeys('Mod+ArrowUp')).toBe('Ctrl+↑')
})

function aType(name: string, category: string, more: Partial<NodeType> = {}): NodeType {
  const base = { name, displayName: name, category, description: '', inputs: [], outputs: [], isOutput: false }
  return { ...base, raw: new Map(), ...more }
}

const TYPES = [
  aType('KSampler', 'sampling'),
  aType('KSamplerAdvanced', 'sampling', { displayName: 'KSampler (Advanced)' }),
  aType('VAEDecode', 'latent', {
    displayName: 'VAE Decode',
    outputs: [{ name: 'IMAGE', type: 'IMAGE', isList: false }],
  }),
  aType('Tests', '_for_testing/custom'),
]

test('typed text finds names first, then categories', () => {
  const found = (typed: string) => findNodeTypes(TYPES, typed).map(({ name }) => name)
  expect(found('ksampler')).toEqual(['KSampler', 'KSamplerAdvanced'])
  expect(found('adv samp')).toEqual(['KSamplerAdvanced'])
  expect(found('latent')).toEqual(['VAEDecode'])
  expect(found('nothing like it')).toEqual([])
})

test('a link is offered what gives or takes its type', () => {
  expect(withSlot(TYPES, { side: 'output', type: 'IMAGE' }).map(({ name }) => name)).toEqual(['VAEDecode'])
  expect(withSlot(TYPES, undefined)).toBe(TYPES)
})

test('categories are a tree; those for few come last', () => {
  const tree = categoriesOf(new Map(TYPES.map((type) => [type.name, type])))
  expect(tree.map(({ name }) => name)).toEqual(['latent', 'sampling', '_for_testing'])
  expect(tree[2]?.within[0]).toMatchObject({ name: 'custom', path: '_for_testing/custom' })
})
