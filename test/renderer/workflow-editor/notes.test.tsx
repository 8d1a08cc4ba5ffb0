import { act, fireEvent, screen } from '@testing-library/react'
import { describe, expect, test } from 'vitest'
import { NoteBody } from '../../../src-renderer/features/workflow-editor/notes/NoteBody.tsx'
import { useTab } from '../../../src-renderer/features/workflow-editor/store/editor-store.ts'
import { documentOf, renderInEditor, useView } from './widgets-support.tsx'

function Body() {
  return <NoteBody view={useView(useTab().editor, '1')} />
}

function renderNote(text: string, kind: 'Note' | 'MarkdownNote' = 'MarkdownNote') {
  return renderInEditor(<Body />, documentOf([`{"id":1,"type":"${kind}","widgets_values":[${JSON.stringify(text)}]}`]))
}

test('a plain note shows its text as it is', () => {
  renderNote('# no title\n<b>no HTML</b>', 'Note')
  screen.getByText(/# no title\s+<b>no HTML<\/b>/)
})

test('Markdown is shown with its lists, code and links', () => {
  const { container } = renderNote('# How\n\n- one\n- two `three`\n\n[site](https://example.org/a?b=1)')
  expect(container.querySelectorAll('li')).toHaveLength(2)
  screen.getByText('three')
  const link = screen.getByRole<HTMLAnchorElement>('link', { name: 'site' })
  expect(link.href).toBe('https://example.org/a?b=1')
  expect(link.rel).toBe('noopener noreferrer nofollow')
  expect(link.target).toBe('_blank')
})

test('a table has cells with borders, aligned as the columns say', () => {
  renderNote('| a | b |\n|---|--:|\n| 1 | 2 |')
  for (const cell of [screen.getByRole('columnheader', { name: 'b' }), screen.getByRole('cell', { name: '2' })]) {
    expect(cell.className).toContain('border')
    expect(cell.style.textAlign).toBe('right')
  }
})

test('a task shows a checkbox that cannot be changed', () => {
  renderNote('- [ ] open\n- [x] done\n- no task')
  const boxes = screen.getAllByRole<HTMLInputElement>('checkbox')
  expect(boxes.map(({ checked, disabled }) => [checked, disabled])).toEqual([
    [false, true],
    [true, true],
  ])
})

describe('a hostile note', () => {
  test.each([
    '<script>document.title = "x"</script>',
    '<img src=x onerror="document.title=1">',
    '<svg onload="document.title=1"><a href="javascript:1">x</a></svg>',
    '<iframe src="https://example.org"></iframe>',
    '<style>* { display: none }</style>',
    '[press](javascript:alert(1))',
    '[press](JaVaScRiPt:alert(1))',
    '[press](data:text/html,<script>1</script>)',
    '[press](vbscript:x)',
    '[press](//example.org)',
    '[press](/api/endpoints)',
    '![out](https://example.org/pixel.png)',
    '![out](data:image/svg+xml,<svg/>)',
    '<https://example.org/" onclick="x>',
    '[x]: javascript:alert(1)\n\n[press][x]',
  ])('%s has no element and no address that does anything', (text) => {
    const { container } = renderNote(text)
    expect(container.querySelectorAll('script, img, svg, iframe, style, object, embed, form')).toHaveLength(0)
    for (const element of container.querySelectorAll('*')) {
      for (const { name, value } of element.attributes) {
        expect(name).not.toMatch(/^on/)
        if (name === 'href' || name === 'src') expect(value).toMatch(/^https?:/)
      }
    }
  })

  test.each([
    ['quotes', '>'.repeat(20_000)],
    ['brackets', '['.repeat(20_000)],
    ['emphasis that is never closed', '*a_ '.repeat(12_000)],
    ['emphasis', '*a **b '.repeat(5000)],
    ['a list', `${'- '.repeat(5000)}x`],
    ['length', 'word '.repeat(100_000)],
  ])('of too much (%s) is shown all the same', (_name, text) => {
    const { container } = renderNote(text)
    expect(container.textContent?.length).toBeGreaterThan(0)
  })

  test('has a title that is text', () => {
    const note = '{"id":1,"type":"Note","title":"<img src=x onerror=1>","widgets_values":["a"]}'
    const { container } = renderInEditor(<Body />, documentOf([note]))
    expect(container.querySelector('img')).toBe(null)
    screen.getByRole('group', { name: /<img src=x/ })
  })
})

test('a double click edits the note, as one step of undo', async () => {
  const { editor, platform, written } = renderNote('old')
  fireEvent.doubleClick(screen.getByText('old'))
  const field = screen.getByRole('textbox', { name: /^Text of/ })
  for (const typed of ['old n', 'old ne', 'old new']) {
    fireEvent.change(field, { target: { value: typed } })
    await act(() => platform.advance(200))
  }
  fireEvent.blur(field)
  screen.getByText('old new')
  expect(editor.getState().done).toHaveLength(1)
  act(() => editor.getState().undo())
  screen.getByText('old')
  expect(written()).toContain('["old"]')
})
