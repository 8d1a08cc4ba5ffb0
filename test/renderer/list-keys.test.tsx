import { act, fireEvent, screen, within } from '@testing-library/react'
import { useRef } from 'react'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { JobListItem } from '../../src-main/contract/job.ts'
import { ShortcutSheet } from '../../src-renderer/app/ShortcutSheet.tsx'
import { JobsView } from '../../src-renderer/features/jobs/JobsView.tsx'
import { LIST_KEYS } from '../../src-renderer/store/list-keys.ts'
import { useCardKeys } from '../../src-renderer/ui/cards.ts'
import { Table } from '../../src-renderer/ui/table/Table.tsx'
import { giveSizes, NOW, renderInApp, until } from './support.tsx'

beforeEach(() => onTestFinished(giveSizes()))

const COLUMNS = [
  { id: 'id', header: 'Name', width: 100, cell: ({ id }: { id: string }) => <a href={`#${id}`}>{id}</a> },
]

function Things({ label, ids, onOpen }: { label: string; ids: readonly string[]; onOpen?: (id: string) => void }) {
  return (
    <Table
      label={label}
      columns={COLUMNS}
      rows={ids.map((id) => ({ id }))}
      rowId={({ id }) => id}
      onOpen={({ id }) => onOpen?.(id)}
    />
  )
}

/** Presses keys where the focus is. */
function press(...keys: readonly string[]) {
  for (const key of keys) fireEvent.keyDown(document.activeElement ?? document.body, { key })
}

const active = (label: string) =>
  screen.getByRole('grid', { name: label }).querySelector('[aria-selected="true"] a')?.textContent

describe('keys of lists', () => {
  test('move from the first press, wherever the focus is, and the list takes it', () => {
    const opened: string[] = []
    renderInApp(<Things label="Things" ids={['a', 'b']} onOpen={(id) => opened.push(id)} />)
    expect(document.activeElement).toBe(document.body)
    press('j')
    expect(active('Things')).toBe('a')
    expect(document.activeElement).toBe(screen.getByRole('grid'))
    press('ArrowDown', 'Enter')
    expect(opened).toEqual(['b'])
  })

  test('leave arrows and Enter to the page while the focus is not in the list', () => {
    renderInApp(<Things label="Things" ids={['a', 'b']} />)
    press('ArrowDown', 'End', 'Enter', ' ')
    expect(active('Things')).toBe(undefined)
  })

  test('of several lists act in the one with the focus, and go on in the next', () => {
    renderInApp(
      <>
        <Things label="First" ids={['a', 'b']} />
        <Things label="Second" ids={['c', 'd']} />
      </>,
    )
    press('j', 'j', 'j')
    expect([active('First'), active('Second')]).toEqual(['b', 'c'])
    press('k', 'k')
    expect(document.activeElement).toBe(screen.getByRole('grid', { name: 'First' }))
  })

  test('do nothing while somebody types, and a sequence like g j stays one', () => {
    const { store } = renderInApp(
      <>
        <input />
        <Things label="Things" ids={['a', 'b']} />
      </>,
    )
    let went = 0
    act(
      () => void store.getState().offer([{ id: 'go', label: 'Jobs', group: 'Go to', keys: 'g j', run: () => went++ }]),
    )
    fireEvent.keyDown(screen.getByRole('textbox'), { key: 'j' })
    press('g', 'j')
    expect([went, active('Things')]).toEqual([1, undefined])
    press('j')
    expect(active('Things')).toBe('a')
  })

  test('move between cards, the first press to the first one', () => {
    function Cards() {
      const wall = useRef<HTMLUListElement>(null)
      useCardKeys('Cards', wall)
      return (
        <ul ref={wall}>
          {['a', 'b'].map((id) => (
            <li key={id}>
              <a data-card href={`#${id}`}>
                {id}
              </a>
            </li>
          ))}
        </ul>
      )
    }
    renderInApp(<Cards />)
    press('j')
    expect(document.activeElement?.textContent).toBe('a')
    press('j')
    expect(document.activeElement?.textContent).toBe('b')
    press('j', 'k')
    expect(document.activeElement?.textContent).toBe('a')
  })

  test('stand in the sheet as the table of the handlers has them, and only those that the list has', async () => {
    renderInApp(
      <>
        <Things label="Things" ids={['a']} />
        <ShortcutSheet onClose={() => undefined} />
      </>,
    )
    const heading = await screen.findByText('List: Things')
    const shown = within(heading.parentElement ?? document.body).getAllByRole('term')
    const acts = new Set(['move', 'page', 'open'])
    expect(shown.map(({ textContent }) => textContent)).toEqual(
      LIST_KEYS.filter(({ act: name }) => acts.has(name)).map(({ label }) => label),
    )
  })
})

const JOBS = ['a', 'b', 'c'].map(
  (name): JobListItem => ({
    id: `job-${name}`,
    endpointId: 'hello',
    status: name === 'c' ? 'IN_QUEUE' : 'COMPLETED',
    createdAt: NOW,
    preview: { input: `{"name":"${name}"}`, output: `"row ${name}"` },
  }),
)

async function showJobs() {
  const signals: AbortSignal[] = []
  const none = { count: 0, more: false }
  const all = ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT']
  const rendered = renderInApp(<JobsView />, {
    jobCount: { count: 3, more: false, cursor: '9' },
    jobList: { requests: JOBS },
    jobStates: { states: Object.fromEntries(all.map((state) => [state, none])) },
    jobRerun: { id: 'job-d', status: 'IN_QUEUE' },
    cancel: { id: 'job-c', status: 'CANCELLED' },
    jobPreview: ({ path, signal }: { path: { jobId: string }; signal: AbortSignal }) => {
      signals.push(signal)
      if (path.jobId === 'job-a') return new Promise(() => undefined)
      return { ...JOBS.find(({ id }) => id === path.jobId), preview: { input: '{}', output: `"all of ${path.jobId}"` } }
    },
  })
  await screen.findByRole('grid', { name: 'Jobs' })
  const previews = () =>
    rendered.calls
      .filter(({ operation }) => operation === 'jobPreview')
      .map(({ args }) => (args as { path: { jobId: string } }).path.jobId)
  return { ...rendered, signals, previews }
}

describe('the list of jobs', () => {
  test('runs the active job again with r', async () => {
    const { calls, store } = await showJobs()
    press('j')
    await act(async () => press('r'))
    expect(calls.find(({ operation }) => operation === 'jobRerun')?.args).toEqual({ path: { jobId: 'job-a' } })
    await until(() => expect(store.getState().notices.at(-1)?.text).toContain('runs again'))
  })

  test('cancels the active job with c after one question, and says why one that has ended is not', async () => {
    const { calls, store } = await showJobs()
    press('j')
    await act(async () => press('c'))
    expect(store.getState().notices.at(-1)?.text).toContain('has already ended')
    press('j', 'j')
    await act(async () => press('c'))
    const question = await screen.findByRole('alertdialog')
    expect(calls.some(({ operation }) => operation === 'cancel')).toBe(false)
    await act(async () => fireEvent.click(within(question).getByRole('button', { name: 'Cancel job job-c' })))
    expect(calls.find(({ operation }) => operation === 'cancel')?.args).toEqual({
      path: { endpointId: 'hello', jobId: 'job-c' },
    })
  })

  test('selects with x', async () => {
    await showJobs()
    press('j', 'x')
    await screen.findByText('1 job selected')
  })

  test('has no preview in a window without room for it', async () => {
    const { platform, previews } = await showJobs()
    press('j')
    await act(() => platform.advance(1000))
    expect([previews(), screen.queryByRole('complementary', { name: 'Preview' })]).toEqual([[], null])
  })
})

test('the preview asks once for a row that is settled on, and gives up what was asked when it moves', async () => {
  const { platform, previews, signals } = await showWide()
  press('j')
  const pane = await screen.findByRole('complementary', { name: 'Preview' })
  within(pane).getByText('"row a"')
  await act(() => platform.advance(60))
  press('j')
  await act(() => platform.advance(60))
  press('k')
  await act(() => platform.advance(119))
  expect(previews()).toEqual([])
  await act(() => platform.advance(1))
  expect(previews()).toEqual(['job-a'])
  press('j')
  await until(() => expect(signals.map(({ aborted }) => aborted)).toEqual([true]))
  await act(() => platform.advance(120))
  expect(previews()).toEqual(['job-a', 'job-b'])
  await within(pane).findByText('"all of job-b"')
})

async function showWide() {
  const rendered = await showJobs()
  await act(async () => rendered.platform.widen())
  return rendered
}
