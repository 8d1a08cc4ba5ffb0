import { expect, it } from 'vitest'
import { createRecentPayloads } from '../../../../src-main/features/jobs/store/job-payloads.ts'

const memory = (bytes: number) => new Uint8Array(bytes)

it('a payload is given away once', () => {
  const recent = createRecentPayloads(100)
  const payload = memory(10)
  recent.put('a', payload)
  expect([recent.take('a'), recent.take('a'), recent.take('b')]).toEqual([payload, undefined, undefined])
})

it('the oldest make room, and what was taken counts no more', () => {
  const recent = createRecentPayloads(100)
  for (const name of ['a', 'b', 'c']) recent.put(name, memory(40))
  expect(['a', 'b', 'c'].map((name) => recent.take(name)?.length)).toEqual([undefined, 40, 40])
  for (const name of ['d', 'e']) recent.put(name, memory(50))
  expect(['d', 'e'].map((name) => recent.take(name)?.length)).toEqual([50, 50])
})

it('a part of a body counts as the whole body that it keeps in memory', () => {
  const recent = createRecentPayloads(100)
  recent.put('a', memory(60).subarray(0, 1))
  recent.put('b', memory(60).subarray(0, 1))
  expect([recent.take('a'), recent.take('b')?.length]).toEqual([undefined, 1])
})

it('one that is larger than all the room is not held', () => {
  const recent = createRecentPayloads(100)
  recent.put('a', memory(101))
  expect(recent.take('a')).toBe(undefined)
})

it('a forgotten payload makes room for others', () => {
  const recent = createRecentPayloads(100)
  recent.put('a', memory(60))
  recent.clear()
  for (const name of ['b', 'c']) recent.put(name, memory(50))
  expect(['a', 'b', 'c'].map((name) => recent.take(name)?.length)).toEqual([undefined, 50, 50])
})
