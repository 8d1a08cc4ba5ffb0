import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { RunErrors } from '../../../src-renderer/features/workflow-editor/run/RunErrors.tsx'
import { mediaKind, RunMedia } from '../../../src-renderer/features/workflow-editor/run/RunMedia.tsx'
import { SettingList } from '../../../src-renderer/features/workflow-editor/run/SettingList.tsx'
import { renderInApp } from '../support.tsx'

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

test('an error with markup in it is text', () => {
  const { container } = renderInApp(<RunErrors errors={['{"message":"<img src=x onerror=alert(1)>","node":"3"}']} />)
  expect(container.querySelector('img')).toBeNull()
  screen.getByText('Node 3: <img src=x onerror=alert(1)>')
})

test('settings of the same name say which node they are of', () => {
  const setting = (node: string, title: string) => ({ node, title, input: 'steps', name: 'Steps', value: '20' })
  renderInApp(<SettingList settings={[setting('3', 'First pass'), setting('4', 'Second pass')]} />)
  screen.getByText(/Second pass/)
})
