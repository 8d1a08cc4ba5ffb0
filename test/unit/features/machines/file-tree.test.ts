import { describe, expect, test } from 'vitest'
import {
  leadsOut,
  manifestChanges,
  manifestLines,
  manifestText,
} from '../../../../src-main/features/machines/rules/file-tree.ts'

const file = (path: string, sha256 = 'a') => ({ path, sha256, size: 1 })

describe('the manifest of a tree', () => {
  test('has a line for each entry, in the order of their bytes', () => {
    const lines = manifestLines([
      file('b'),
      { path: 'é', link: 'b' },
      { path: 'B', folder: true },
      file('a-b'),
      file('a/b'),
    ])
    expect(manifestText(lines)).toBe(
      [
        '{"path":"B","folder":true}',
        '{"path":"a-b","sha256":"a","size":1}',
        '{"path":"a/b","sha256":"a","size":1}',
        '{"path":"b","sha256":"a","size":1}',
        '{"path":"é","link":"b"}',
        '',
      ].join('\n'),
    )
  })

  test('is told by what changed to who has another one, and else as a whole', () => {
    const before = manifestLines([file('gone'), file('kept'), file('other')])
    const after = manifestLines([file('kept'), file('new'), file('other', 'b')])
    expect(manifestChanges(after, before)).toEqual({
      added: '{"path":"new","sha256":"a","size":1}\n{"path":"other","sha256":"b","size":1}\n',
      removed: ['gone'],
    })
    expect(manifestChanges(after, after)).toEqual({ added: '', removed: [] })
    expect(manifestChanges(after, undefined)).toEqual({ added: manifestText(after), removed: [] })
  })

  test.each([
    ['a/b', 'c', false],
    ['a/b', '../c', false],
    ['a/b', './../c/./d', false],
    ['a/b', '..', false],
    ['a/b', '../..', true],
    ['a', '../c', true],
    ['a', 'b/../../a', true],
    ['a', '/etc', true],
    ['a', 'C:\\x', true],
    ['a', '..\\x', true],
    ['a', '', true],
  ])('of which the link %s to %s leads out: %s', (path, link, isOut) => {
    expect(leadsOut(path, link)).toBe(isOut)
  })
})
