import { act, fireEvent, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { OtherJobsNote, useCancelQuestion } from '../../src-renderer/ui/jobs/CancelQuestion.tsx'
import { useOtherJobs } from '../../src-renderer/ui/jobs/JobKeys.tsx'
import { aWorker, renderHookInApp, renderInApp } from './support.tsx'

const press = (name: RegExp) => act(async () => void fireEvent.click(screen.getByRole('button', { name })))
const FILTER = { filter: { endpoint: 'hello' } }

/** Cancels all jobs of a filter, two of which run. */
function renderCancel(effects: object) {
  let cancels = 0
  function Cancel() {
    const { ask, question } = useCancelQuestion({
      jobs: () => FILTER,
      action: 'Cancel 9 jobs',
      run: () => void cancels++,
    })
    return (
      <>
        <button type="button" onClick={() => void ask()}>
          Cancel
        </button>
        {question}
      </>
    )
  }
  const { calls } = renderInApp(<Cancel />, { jobCancelEffects: effects })
  return { calls, cancels: () => cancels }
}

test('jobs are cancelled at once where their workers run nothing else', async () => {
  const { calls, cancels } = renderCancel({ running: 2, others: 0 })
  await press(/^Cancel/)
  expect(cancels()).toBe(1)
  expect(calls).toMatchObject([{ args: { body: FILTER } }])
})

test('else after a question that says how many others start again', async () => {
  const { cancels } = renderCancel({ running: 2, others: 3 })
  await press(/^Cancel/)
  expect(cancels()).toBe(0)
  expect(screen.getByRole('alertdialog').textContent).toContain('Their workers also run 3 other jobs.')
  await press(/^Cancel 9 jobs$/)
  expect(cancels()).toBe(1)
})

test('a question that is asked anyway has the warning where it applies', async () => {
  const { container } = renderInApp(<OtherJobsNote jobs={{ sweep: 's' }} />, {
    jobCancelEffects: { running: 1, others: 2 },
  })
  await screen.findByText(/This worker also runs 2 other jobs/)
  expect(container.querySelectorAll('p')).toHaveLength(1)
})

test('the other jobs follow the workers', () => {
  const { result, store } = renderHookInApp(() => useOtherJobs(['a']))
  expect(result.current).toBe(0)
  const workers = { w: aWorker('w', 'e', { jobs: ['a', 'b'] }), other: aWorker('other', 'e', { jobs: ['c'] }) }
  act(() => store.setState(({ live }) => ({ live: { ...live, workers } })))
  expect(result.current).toBe(1)
})
