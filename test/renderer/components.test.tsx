import { fireEvent, screen, waitFor } from '@testing-library/react'
import { describe, expect, test } from 'vitest'
import { JOB_STATES } from '../../src-main/contract/job.ts'
import { NoJobsTaken } from '../../src-renderer/features/endpoints/EndpointPage.tsx'
import { CopyButton } from '../../src-renderer/ui/Button.tsx'
import { CodeEditor } from '../../src-renderer/ui/editor/LazyEditors.tsx'
import { FormRow } from '../../src-renderer/ui/form/FormRow.tsx'
import { JsonTree } from '../../src-renderer/ui/JsonTree.tsx'
import { Notices } from '../../src-renderer/ui/Notices.tsx'
import { CommandLine, ErrorNotice, NotFound, Said } from '../../src-renderer/ui/PageStates.tsx'
import { JobStateDot } from '../../src-renderer/ui/StateDot.tsx'
import { Bytes, Duration } from '../../src-renderer/ui/Values.tsx'
import { renderInApp } from './support.tsx'

test('a command breaks between its words only, and not after a hyphen', () => {
  const { container } = renderInApp(<CommandLine command="drydock models folders add /data --first" />)
  const words = [...container.querySelectorAll('code span')]
  expect(words.map(({ textContent }) => textContent)).toEqual(['--first'])
  expect(words.every(({ className }) => className.includes('inline-block'))).toBe(true)
  expect(container.querySelector('code')?.textContent).toBe('drydock models folders add /data --first')
})

test.each([
  ['/jobs/gone', 'All jobs', '/jobs'],
  ['/machines/gone', 'All machines', '/machines'],
  ['/system/gone', 'All endpoints', '/endpoints'],
  ['/nowhere', 'All endpoints', '/endpoints'],
])('at %s, where there is nothing, a link leads to %s', (path, name, to) => {
  history.replaceState(null, '', path)
  renderInApp(<NotFound />)
  expect(screen.getByRole('link', { name }).getAttribute('href')).toBe(to)
  history.replaceState(null, '', '/')
})

test('commands within a text are code, without the backticks around them, and are copied as they are written', () => {
  renderInApp(
    <>
      <ErrorNotice error="There is no endpoint x. List them with `drydock endpoint list`." />
      <FormRow label="Registry credentials" help="Add them with `drydock registry add`.">
        {(ids) => <input {...ids} />}
      </FormRow>
      <p>
        <Said text="one ` alone" />
      </p>
    </>,
  )
  expect(screen.getByText('drydock endpoint list').tagName).toBe('CODE')
  expect(screen.getByText('drydock registry add').tagName).toBe('CODE')
  expect(screen.getByRole('alert').textContent).not.toContain('`')
  screen.getByText('one ` alone')
})

test('the jobs of a load-balanced endpoint are none, and its requests are a press away', () => {
  renderInApp(<NoJobsTaken endpointId="web" />)
  screen.getByText('A load-balanced endpoint answers requests directly and takes no jobs.')
  screen.getByText('drydock requests web')
  fireEvent.click(screen.getByRole('button', { name: 'Show its requests' }))
  expect(location.pathname).toBe('/endpoints/web/requests')
})

describe('a tree of JSON', () => {
  test('shows two levels, and folds and unfolds', () => {
    renderInApp(<JsonTree value={{ a: { b: { c: 'deep' } }, list: [], n: null, seed: 18446744073709551615n }} />)
    screen.getByText('18446744073709551615')
    expect(screen.queryByText(/deep/)).toBe(null)
    fireEvent.click(screen.getByRole('button', { name: /b:/ }))
    screen.getByText('"deep"')
    fireEvent.click(screen.getByRole('button', { name: /a:/ }))
    expect(screen.queryByText('"deep"')).toBe(null)
    screen.getByText('null')
  })

  test('of a million entries shows the first hundred, and more at a press', () => {
    const { container } = renderInApp(<JsonTree value={Array.from({ length: 1_000_000 }, (_entry, at) => at)} />)
    const shown = () => container.querySelectorAll('.text-running').length
    expect(shown()).toBe(100)
    fireEvent.click(screen.getByRole('button', { name: '999900 more' }))
    expect(shown()).toBe(1000)
  })

  test('of a text of 5 MB shows its beginning, and all of it at a press', () => {
    const { container } = renderInApp(<JsonTree value={'x'.repeat(5_000_000)} />)
    expect(container.textContent?.length).toBeLessThan(1000)
    fireEvent.click(screen.getByRole('button', { name: '5,000,000 characters' }))
    expect(container.textContent?.length).toBe(5_000_002)
  })

  test('shows more of a long text that can be read than of one that is data', () => {
    const begin = (value: string) => renderInApp(<JsonTree value={value} />).container.querySelector('.text-completed')
    expect(begin('word '.repeat(1000))?.textContent?.length).toBe(502)
    expect(begin(`data:image/png;base64,${'A'.repeat(5000)}`)?.textContent?.length).toBe(82)
  })
})

test('every state of a job is a word', () => {
  const { container } = renderInApp(JOB_STATES.map((state) => <JobStateDot key={state} state={state} />))
  const words = [...container.children].map((dot) => dot.textContent)
  expect(words).toEqual(['Queued', 'Running', 'Completed', 'Failed', 'Cancelled', 'Timed out'])
  expect(container.querySelector('.line-through')).toBe(null)
})

test('a value that does not exist is a dash with a name', () => {
  renderInApp([
    <Duration key="span" ms={undefined} />,
    <Bytes key="size" size={undefined} />,
    <Bytes key="some" size={2048} />,
  ])
  expect(screen.getAllByRole('img', { name: 'none' })).toHaveLength(2)
  screen.getByText('2.0 KiB')
})

test('a text is copied, and the button says so for a while', async () => {
  const { platform } = renderInApp(<CopyButton text="drydock open" what="command" />)
  fireEvent.click(screen.getByRole('button', { name: 'Copy command' }))
  await screen.findByRole('button', { name: 'Copied' })
  expect(platform.copied).toEqual(['drydock open'])
  await platform.advance(1500)
  await screen.findByRole('button', { name: 'Copy command' })
})

describe('a notice', () => {
  test('goes after ten seconds, one of an error after thirty, and none from under the pointer', async () => {
    const { store, platform } = renderInApp(<Notices />)
    store.getState().notify({ kind: 'done', text: 'hello is paused' })
    store.getState().notify({ kind: 'error', text: 'it went wrong' })
    await screen.findByText('hello is paused')
    await platform.advance(10_000)
    await waitFor(() => expect(screen.queryByText('hello is paused')).toBe(null))
    const notice = screen.getByText('it went wrong')
    fireEvent.pointerEnter(notice.parentElement ?? notice)
    await platform.advance(60_000)
    screen.getByText('it went wrong')
    fireEvent.pointerLeave(notice.parentElement ?? notice)
    await platform.advance(30_000)
    await waitFor(() => expect(screen.queryByText('it went wrong')).toBe(null))
  })

  test('takes back what was done, once', async () => {
    const { store } = renderInApp(<Notices />)
    let undone = 0
    store.getState().notify({ kind: 'done', text: 'hello is paused', undo: () => (undone += 1) })
    fireEvent.click(await screen.findByRole('button', { name: 'Undo' }))
    expect(undone).toBe(1)
    expect(screen.queryByRole('button', { name: 'Undo' })).toBe(null)
  })
})

test('the editor is loaded when it is shown, and follows a value from outside', async () => {
  renderInApp(<CodeEditor label="Input" value='{"n": 1}' />)
  const editor = await screen.findByRole('textbox', { name: 'Input' })
  expect(editor.textContent).toContain('{"n": 1}')
})
