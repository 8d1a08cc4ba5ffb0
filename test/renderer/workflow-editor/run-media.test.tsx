import { screen } from '@testing-library/react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { NodePictures } from '../../../src-renderer/features/workflow-editor/canvas/NodePictures.tsx'
import { undoLater } from '../../../src-renderer/features/workflow-editor/run/ResultActions.tsx'
import { RunErrors, SettingList } from '../../../src-renderer/features/workflow-editor/run/RunDetails.tsx'
import { mediaKind, RunMedia } from '../../../src-renderer/features/workflow-editor/run/RunMedia.tsx'
import { RunResults } from '../../../src-renderer/features/workflows/gallery/RunPage.tsx'
import { NOW, renderInApp } from '../support.tsx'
import { documentOf, renderInEditor } from './widgets-support.tsx'

const result = (mediaType: string) => ({ asset: 'a'.repeat(64), filename: 'out.bin', mediaType })

test.each([
  ['image/webp', 'image'],
  ['video/mp4', 'video'],
  ['audio/flac', 'audio'],
  ['text/plain', 'file'],
  // It can hold scripts.
  ['image/svg+xml', 'file'],
])('%s is shown as %s', (mediaType, kind) => {
  expect(mediaKind(result(mediaType))).toBe(kind)
})

test('a film and a sound can be played, and what is neither is a download', () => {
  const { container } = renderInApp(
    <>
      <RunMedia result={result('video/mp4')} name="film" />
      <RunMedia result={result('audio/mpeg')} name="sound" />
      <RunMedia result={result('image/svg+xml')} name="drawing" />
    </>,
  )
  expect(container.querySelector('video')?.getAttribute('src')).toBe(`/api/assets/${'a'.repeat(64)}`)
  expect(container.querySelector('audio')?.controls).toBe(true)
  expect(container.querySelectorAll('img')).toHaveLength(0)
  expect(screen.getByRole('link', { name: 'out.bin' }).getAttribute('download')).toBe('out.bin')
})

test('a node shows the pictures of its results, and of a drawing that is a download none', () => {
  const of = (mediaType: string) => ({ state: 'done', results: [result(mediaType)] }) as const
  const { container, unmount } = renderInApp(<NodePictures progress={of('image/svg+xml')} hangs={false} />)
  expect(container.querySelector('img')).toBeNull()
  unmount()
  renderInApp(<NodePictures progress={of('image/webp')} hangs={false} />)
  screen.getByRole('img', { name: 'out.bin' })
})

test('a node plays the sound that it gave, and shows the start of its text', async () => {
  const [sound, text] = [result('audio/flac'), { ...result('text/plain'), asset: 'b'.repeat(64), filename: 'a.txt' }]
  vi.stubGlobal(
    'fetch',
    async () => new Response('two\nlines', { status: 206, headers: { 'content-range': 'bytes 0-3999/9000' } }),
  )
  onTestFinished(() => void vi.unstubAllGlobals())
  const { container } = renderInApp(<NodePictures progress={{ state: 'done', results: [sound, text] }} hangs={false} />)
  expect(container.querySelector('audio')?.getAttribute('aria-label')).toBe('out.bin')
  await screen.findByText('two lines …')
  expect(screen.getByRole('region', { name: 'a.txt' }).tabIndex).toBe(0)
})

test('an error with markup in it is text', () => {
  const errors = ['{"message":"<img src=x onerror=alert(1)>","node":"3"}']
  const { container } = renderInApp(<RunErrors run={{ endpointId: 'e', errors }} />)
  expect(container.querySelector('img')).toBeNull()
  screen.getByText('Node 3: <img src=x onerror=alert(1)>')
})

test('an error of code has its traceback open, with the own calls marked, as on the page of its job', () => {
  const error_traceback =
    'Traceback (most recent call last):\n  File "/home/ada/handler.py", line 12, in handler\n    raise NoFace("no face")\nNoFace: no face\n'
  const text = JSON.stringify({ error_type: "<class 'NoFace'>", error_message: 'no face', error_traceback })
  renderInApp(<RunErrors run={{ endpointId: 'e', errors: [text] }} />)
  expect(screen.getByRole('alert').textContent?.split('NoFace: no face')).toHaveLength(2)
  screen.getByText('your code')
})

test('settings of the same name say which node they are of', () => {
  const setting = (node: string, title: string) => ({ node, title, input: 'steps', name: 'Steps', value: '20' })
  renderInApp(<SettingList settings={[setting('3', 'First pass'), setting('4', 'Second pass')]} />)
  screen.getByText(/Second pass/)
})

test('a run that was cancelled before it gave anything says so on its page', () => {
  const run = { id: 'r1', endpointId: 'e', title: 'Castle', payload: '{}', createdAt: NOW, results: [], errors: [] }
  renderInApp(<RunResults run={{ ...run, status: 'CANCELLED' }} />)
  screen.getByText('Cancelled. No results were stored.')
})

test('a notice takes back its own step, and no later one', () => {
  const { editor, store, tab } = renderInEditor(null, documentOf(['{"id":1,"type":"Note"}']))
  const before = editor.getState().document
  const rename = (title: string) =>
    editor.getState().edit('Rename', (document) => ({ ...document, raw: new Map([['title', title]]) }))
  rename('one')
  const undo = undoLater(tab, store)
  rename('two')
  undo()
  expect(editor.getState().done).toHaveLength(2)
  expect(store.getState().notices.map(({ text }) => text)).toEqual([
    'The graph was edited since. Undo the later edits first.',
  ])
  editor.getState().undo()
  undo()
  expect(editor.getState().document).toBe(before)
})
