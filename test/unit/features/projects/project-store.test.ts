import { expect, test } from 'vitest'
import { openDatabase } from '../../../../src-main/database/open-database.ts'
import { createProjectStore } from '../../../../src-main/storage/open-storage.ts'

const setup = () => createProjectStore(openDatabase(':memory:'))

test('the project that was opened last comes first, and a folder is one project however often it is opened', () => {
  const store = setup()
  store.open({ id: 'a', folder: '/one', openedAt: 1 })
  store.open({ id: 'b', folder: '/two', openedAt: 2 })
  expect(store.all().map(({ id }) => id)).toEqual(['b', 'a'])
  expect(store.open({ id: 'c', folder: '/one', openedAt: 3 })).toEqual({ id: 'a', folder: '/one', openedAt: 3 })
  expect(store.all().map(({ id }) => id)).toEqual(['a', 'b'])
})

test('a project that was removed is no longer there', () => {
  const store = setup()
  store.open({ id: 'a', folder: '/one', openedAt: 1 })
  store.remove('a')
  expect(store.get('a')).toBeUndefined()
  expect(store.all()).toEqual([])
})
