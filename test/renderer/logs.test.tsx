import { fireEvent, screen } from '@testing-library/react'
import { describe, expect, onTestFinished, test } from 'vitest'
import { LogView, levelOf } from '../../src-renderer/ui/output/LogView.tsx'
import { readAnsi } from '../../src-renderer/ui/output/read-ansi.ts'
import { giveSizes, NOW, renderInApp } from './support.tsx'

const ESC = '\u001b'

describe('a line with sequences of a terminal', () => {
  test.each([
    ['plain', [{ text: 'plain' }]],
    [`a ${ESC}[31mred${ESC}[0m b`, [{ text: 'a ' }, { text: 'red', colour: 'red' }, { text: ' b' }]],
    [
      `${ESC}[1;32mbold${ESC}[22m not${ESC}[39m`,
      [
        { text: 'bold', bold: true, colour: 'green' },
        { text: ' not', colour: 'green' },
      ],
    ],
    [`${ESC}[94mbright`, [{ text: 'bright', colour: 'blue' }]],
    [`${ESC}[38;5;196mmany${ESC}[38;2;1;2;3;33mand one`, [{ text: 'many' }, { text: 'and one', colour: 'yellow' }]],
    [`${ESC}]0;title\u0007shown`, [{ text: 'shown' }]],
    [`${ESC}]8;;http://x${ESC}\\link`, [{ text: 'link' }]],
    [`${ESC}[2K${ESC}[1Gprogress\r`, [{ text: 'progress' }]],
    ['tab\tstays, \u0000\u0008others go', [{ text: 'tab\tstays, others go' }]],
    ['Traceback:\n  line 3\r\n', [{ text: 'Traceback:\n  line 3\n' }]],
    ['', []],
  ])('%j is read as its pieces', (line, pieces) => {
    expect(readAnsi(line)).toEqual(pieces)
  })
})

test.each([
  ['ERROR', 'error'],
  ['critical', 'error'],
  ['WARN', 'warning'],
  ['trace', 'debug'],
  ['stdout', 'info'],
])('the level %s counts as %s', (word, level) => {
  expect(levelOf(word)).toBe(level)
})

describe('a log', () => {
  function setup(count = 3, workers = ['w'], search = '') {
    onTestFinished(giveSizes())
    const levels = ['info', 'warning', 'error']
    const lines = Array.from({ length: count }, (_line, at) => ({
      id: at,
      at: NOW,
      endpointId: 'e',
      workerId: workers[at % workers.length] ?? '',
      level: levels[at % 3] ?? '',
      line: `line ${at} of ${ESC}[31mmany${ESC}[0m`,
    }))
    renderInApp(<LogView label="Log of e" lines={lines} search={search} />)
    return screen.getByRole('log', { name: 'Log of e' })
  }

  test('is searched at first for the text of its address', () => {
    setup(3, ['w'], 'line 2')
    expect(screen.getByRole('searchbox', { name: 'Search the log' })).toHaveProperty('value', 'line 2')
    screen.getByText('1 of 3 lines')
  })

  test('of a hundred thousand lines draws those in sight', () => {
    const log = setup(100_000)
    expect(log.querySelectorAll('[data-index]').length).toBeLessThan(200)
    screen.getByText('100,000 lines')
  })

  test('says which worker wrote a line where several wrote, in full on hover', () => {
    const log = setup(3, ['w-first', 'w-second'])
    expect(log.textContent).toMatch(/w-first *line 0.*w-second *line 1/)
    expect(screen.getByText('w-second').title).toBe('w-second')
  })

  test('of one worker does not repeat its name', () => {
    expect(setup(3, ['w-only']).textContent).not.toContain('w-only')
  })

  test('shows what is searched for, and how many lines have it', () => {
    const log = setup()
    fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'LINE 1' } })
    screen.getByText('1 of 3 lines')
    expect(log.textContent).toContain('line 1 of many')
    expect(log.querySelector('mark')?.textContent).toBe('line 1')
  })

  test('shows the lines of a level and those above it', () => {
    const log = setup()
    fireEvent.click(screen.getByRole('radio', { name: 'warning' }))
    expect(log.textContent).not.toContain('line 0')
    expect(log.textContent).toContain('line 2')
    screen.getByText('2 of 3 lines')
  })
})
