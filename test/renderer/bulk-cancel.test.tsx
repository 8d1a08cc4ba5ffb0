import { act, fireEvent, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { useBulkCancel } from '../../src-renderer/features/jobs/list/BulkBar.tsx'
import { useOtherJobs } from '../../src-renderer/ui/use-other-jobs.ts'
import { aWorker, renderHookInApp, renderInApp } from './support.tsx'

const press = (name: RegExp) => act(async () => void fireEvent.click(screen.getByRole('button', { name })))

/** Cancels two selected jobs of a worker that runs others too. */
function renderCancel(others: readonly string[]) {
  let cancels = 0
  const cancel = { count: 2, run: async () => void cancels++ }
  function Cancel() {
    const { onCancel, question } = useBulkCancel(cancel, ['a', 'b'])
    return (
      <>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
        {question}
      </>
    )
  }
  const { store } = renderInApp(<Cancel />)
  const workers = { w: aWorker('w', 'e', { jobs: ['a', 'b', ...others] }) }
  act(() => store.setState(({ live }) => ({ live: { ...live, workers } })))
  return () => cancels
}

test('selected jobs are cancelled at once where their workers run nothing else', async () => {
  const cancels = renderCancel([])
  await press(/^Cancel/)
  expect(cancels()).toBe(1)
})

test('else after a question that says how many others start again', async () => {
  const cancels = renderCancel(['c', 'd', 'e'])
  await press(/^Cancel/)
  expect(cancels()).toBe(0)
  expect(screen.getByRole('alertdialog').textContent).toContain('Their workers also run 3 other jobs.')
  await press(/^Cancel 2 jobs$/)
  expect(cancels()).toBe(1)
})

test('the other jobs follow the workers', () => {
  const { result, store } = renderHookInApp(() => useOtherJobs(['a']))
  expect(result.current).toBe(0)
  const workers = { w: aWorker('w', 'e', { jobs: ['a', 'b'] }), other: aWorker('other', 'e', { jobs: ['c'] }) }
  act(() => store.setState(({ live }) => ({ live: { ...live, workers } })))
  expect(result.current).toBe(1)
})
