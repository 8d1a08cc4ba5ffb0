import { expect, test } from 'vitest'
import {
  bytesOf,
  type Choose,
  createDisk,
  type Fate,
  SECTOR_BYTES,
  type SyncTruth,
} from '../../soak/power-loss/disk-model.ts'
import { OPENED, type TraceRecord } from '../../soak/power-loss/trace.ts'

const ROOT = 1

/** A disk that a test writes to as a program would; calls that are not ended stay open. */
function setup(truth?: (path: string) => SyncTruth) {
  const disk = createDisk(truth)
  let calls = 0n
  let process = 1n
  const record = (kind: TraceRecord['kind'], more: Partial<TraceRecord>, id?: bigint) => {
    if (id === undefined) calls += 1n
    const whole = { kind, id: id ?? (process << 32n) | calls, ns: 0n, file: 0, at: 0, path: '', other: '', size: 0 }
    disk.apply({ ...whole, bytes: Buffer.alloc(0), ...more })
    return (process << 32n) | calls
  }
  const begin = (kind: TraceRecord['kind'], more: Partial<TraceRecord>) => {
    const id = record(kind, more)
    return (result = more.bytes?.length ?? 0, file = more.file ?? 0) => void record('end', { at: result, file }, id)
  }
  const call = (kind: TraceRecord['kind'], more: Partial<TraceRecord>) => begin(kind, more)()
  call('mkdir', { file: ROOT })
  const left = (choose: Fate | Choose) => {
    const chosen: Choose = typeof choose === 'function' ? choose : () => choose
    const { files } = disk.afterCut(chosen)
    return Object.fromEntries(files.map(({ path, file }) => [path, bytesOf(file, chosen).toString()]))
  }
  return {
    begin,
    call,
    left,
    create: (path: string, file: number) => record('open', { path, file, at: OPENED.isNew }),
    write: (file: number, at: number, text: string) => call('write', { file, at, bytes: Buffer.from(text) }),
    sync: (file: number) => call('sync', { file }),
    mkdir: (path: string, file: number) => begin('mkdir', { path })(0, file),
    restart: () => {
      process += 1n
    },
  }
}

test('a file is there with what was written once it and its folder are synced', () => {
  const { create, write, sync, left } = setup()
  create('a', 2)
  write(2, 0, 'hello')
  sync(2)
  expect(left('lost')).toEqual({})
  sync(ROOT)
  expect(left('lost')).toEqual({ a: 'hello' })
  write(2, 5, ' world')
  expect([left('lost'), left('kept'), left('length')]).toEqual([
    { a: 'hello' },
    { a: 'hello world' },
    { a: `hello${'\0'.repeat(6)}` },
  ])
})

test('a write that ends after a sync has begun is not covered by it', () => {
  const { begin, create, sync, left } = setup()
  create('a', 2)
  sync(ROOT)
  const endWrite = begin('write', { file: 2, bytes: Buffer.from('x') })
  const endSync = begin('sync', { file: 2 })
  endWrite()
  endSync(0)
  expect(left('lost')).toEqual({ a: '' })
  sync(2)
  expect(left('lost')).toEqual({ a: 'x' })
})

test('a write is torn at sectors, wherever it begins', () => {
  const { create, write, sync, left } = setup()
  create('a', 2)
  sync(ROOT)
  write(2, 0, '.'.repeat(3 * SECTOR_BYTES))
  sync(2)
  write(2, 10, 'x'.repeat(2 * SECTOR_BYTES))
  const content = left({ torn: (sector) => sector !== 1 }).a ?? ''
  expect(content).toBe(
    `..........${'x'.repeat(SECTOR_BYTES - 10)}${'.'.repeat(SECTOR_BYTES)}${'x'.repeat(10)}${'.'.repeat(SECTOR_BYTES - 10)}`,
  )
})

test('a file that is cut off and grows again has zeros there', () => {
  const { call, create, write, sync, left } = setup()
  create('a', 2)
  sync(ROOT)
  write(2, 0, 'abcdef')
  sync(2)
  call('truncate', { file: 2, at: 2 })
  write(2, 4, 'z')
  expect([left('kept'), left('lost')]).toEqual([{ a: 'ab\0\0z' }, { a: 'abcdef' }])
  sync(2)
  expect(left('lost')).toEqual({ a: 'ab\0\0z' })
})

test('a call that fails leaves nothing, and a short one what it wrote', () => {
  const { begin, create, sync, left } = setup()
  create('a', 2)
  sync(ROOT)
  begin('write', { file: 2, bytes: Buffer.from('no') })(-1)
  begin('write', { file: 2, bytes: Buffer.from('long') })(2)
  begin('unlink', { path: 'a', file: 2 })(-1)
  expect(left('kept')).toEqual({ a: 'lo' })
})

test('a rename is there with both names or not at all, and is settled by a sync of the folder', () => {
  const { call, create, mkdir, sync, write, left } = setup()
  mkdir('in', 3)
  sync(ROOT)
  create('in/new', 2)
  write(2, 0, 'x')
  sync(2)
  sync(3)
  call('rename', { path: 'in/new', other: 'in/whole', file: 2 })
  expect([left('lost'), left('kept')]).toEqual([{ 'in/new': 'x' }, { 'in/whole': 'x' }])
  sync(2)
  expect(left('lost')).toEqual({ 'in/new': 'x' })
  sync(3)
  expect(left('lost')).toEqual({ 'in/whole': 'x' })
})

test('a folder whose own name is lost takes all in it along', () => {
  const { create, mkdir, sync, left } = setup()
  mkdir('in', 3)
  create('in/a', 2)
  sync(3)
  expect(left('lost')).toEqual({})
  sync(ROOT)
  expect(left('lost')).toEqual({ 'in/a': '' })
})

test('a removed file may be there or not, and the next one with its inode is another file', () => {
  const { call, create, sync, write, left } = setup()
  create('a', 2)
  write(2, 0, 'old')
  sync(2)
  sync(ROOT)
  call('unlink', { path: 'a', file: 2 })
  create('b', 2)
  write(2, 0, 'new')
  sync(2)
  expect([left('lost'), left('kept')]).toEqual([{ a: 'old' }, { b: 'new' }])
})

test('a write that a killed process began may be there, and a sync of the next one settles it', () => {
  const { begin, create, restart, sync, left } = setup()
  create('a', 2)
  sync(ROOT)
  begin('write', { file: 2, bytes: Buffer.from('x') })
  expect([left('lost'), left('kept')]).toEqual([{ a: '' }, { a: 'x' }])
  restart()
  sync(ROOT)
  sync(2)
  expect(left('lost')).toEqual({ a: 'x' })
})

test('a sync that is late settles what was there before the one before it; one that is skipped nothing', () => {
  const { create, sync, write, left } = setup((path) =>
    path === 'log' ? 'late' : path === 'file' ? 'skipped' : 'done',
  )
  create('log', 2)
  create('file', 3)
  sync(ROOT)
  for (const file of [2, 3]) {
    write(file, 0, 'a')
    sync(file)
    write(file, 1, 'b')
    sync(file)
  }
  expect(left('lost')).toEqual({ log: 'a', file: '' })
})
