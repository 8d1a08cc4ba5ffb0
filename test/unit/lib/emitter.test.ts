import { expect, test } from 'vitest'
import { createEmitter, createKeyedEmitter } from '../../../src-main/lib/emitter.ts'

test('listeners are called in their order, one that was added twice twice, until they are removed', () => {
  const emitter = createEmitter<[string]>()
  const heard: string[] = []
  const listener = (value: string) => void heard.push(value)
  const remove = emitter.on(listener)
  emitter.on(listener)
  emitter.on((value) => heard.push(`after ${value}`))
  emitter.emit('a')
  remove()
  remove()
  emitter.emit('b')
  expect(heard).toEqual(['a', 'a', 'after a', 'b', 'after b'])
})

test('a listener that is removed while others are called is not called, one that is added waits', () => {
  const emitter = createEmitter()
  const heard: string[] = []
  emitter.on(() => {
    removeSecond()
    emitter.on(() => heard.push('third'))
  })
  const removeSecond = emitter.on(() => heard.push('second'))
  emitter.emit()
  expect(heard).toEqual([])
  emitter.emit()
  expect(heard).toEqual(['third'])
})

test('a key without listeners is forgotten, and heard again with new ones', () => {
  const emitter = createKeyedEmitter<[number]>()
  const heard: [string, number][] = []
  const remove = emitter.on('a', (value) => heard.push(['a', value]))
  const removeOther = emitter.on('b', (value) => heard.push(['b', value]))
  emitter.emit('a', 1)
  emitter.emitAll(2)
  remove()
  removeOther()
  expect(emitter.isEmpty()).toBe(true)
  const removeNew = emitter.on('a', (value) => heard.push(['new', value]))
  remove()
  emitter.emit('a', 3)
  removeNew()
  emitter.emit('a', 4)
  expect([heard, emitter.isEmpty()]).toEqual([
    [
      ['a', 1],
      ['a', 2],
      ['b', 2],
      ['new', 3],
    ],
    true,
  ])
})
