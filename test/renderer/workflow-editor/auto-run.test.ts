import { expect, test } from 'vitest'
import { createStore } from 'zustand/vanilla'
import type { RunView } from '../../../src-main/contract/workflows.ts'
import { followAutoRun } from '../../../src-renderer/features/workflow-editor/run/auto-run.ts'
import { createRunStore } from '../../../src-renderer/features/workflow-editor/store/run-store.ts'

/** A tab whose document is a text; runs are queued by `run`, and ended by `end`. Timers go off by `pass`. */
function setup() {
  const runs = createRunStore()
  const editor = createStore(() => ({ document: 'a' as never }))
  const timers: (() => void)[] = []
  const told: string[] = []
  let count = 0
  const { set } = runs.getState()
  const end = followAutoRun({
    runs,
    editor,
    textOf: (document) => String(document).replace(/ moved$/, ''),
    async run() {
      count += 1
      set({ hasRun: true, refusal: undefined, active: [{ id: `r${count}`, status: 'IN_QUEUE' } as RunView] })
    },
    platform: {
      after(_ms, then) {
        timers.push(then)
        return () => void timers.splice(timers.indexOf(then), 1)
      },
    },
    notify: (text) => told.push(text),
  })
  return {
    end,
    told,
    set,
    auto: () => runs.getState().auto,
    count: () => count,
    edit: (document: string) => editor.setState({ document: document as never }),
    pass: () => {
      for (const timer of timers.splice(0)) timer()
    },
    ended: (status: RunView['status'] = 'COMPLETED') => set({ active: [], shown: { status } as RunView }),
  }
}

test('again and again, a run follows when the one before has completed', () => {
  const { set, count, ended, auto, end } = setup()
  set({ auto: 'again' })
  expect(count()).toBe(1)
  ended()
  ended()
  expect(count()).toBe(3)
  set({ auto: 'off' })
  ended()
  expect(count()).toBe(3)
  expect(auto()).toBe('off')
  end()
})

test.each(['FAILED', 'CANCELLED', 'TIMED_OUT'] as const)('again and again ends with a run that is %s', (status) => {
  const { set, count, ended, auto, told } = setup()
  set({ auto: 'again' })
  ended(status)
  expect([count(), auto(), told.length]).toEqual([1, 'off', 1])
})

test('again and again ends where a run is refused', () => {
  const { set, count, auto } = setup()
  set({ auto: 'again' })
  set({ active: [], refusal: { message: 'no', problems: [] } })
  expect([count(), auto()]).toEqual([1, 'off'])
})

test('on change, it runs once what is sent differs, and not for a node that moved', () => {
  const { set, count, edit, pass, ended } = setup()
  set({ auto: 'change' })
  pass()
  expect(count()).toBe(0)
  edit('a moved')
  pass()
  expect(count()).toBe(0)
  edit('b')
  edit('bc')
  pass()
  expect(count()).toBe(1)
  edit('bcd')
  pass()
  expect(count()).toBe(1)
  ended('FAILED')
  pass()
  expect(count()).toBe(2)
})

test('on change, seeds that a run moved on are no change', () => {
  const { set, count, edit, pass, ended } = setup()
  set({ auto: 'change' })
  set({ sending: 1 })
  edit('a with the next seed')
  pass()
  set({ sending: 0 })
  ended()
  pass()
  expect(count()).toBe(0)
})
