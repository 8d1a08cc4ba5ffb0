import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createLineBudget, LINE_COST_BYTES, LINES_AT_ONCE } from '../../../src-main/runtimes/line-budget.ts'
import { openOutputFile } from '../../../src-main/runtimes/process/output-file.ts'

const MIB = 1024 * 1024
const LEFT_OUT = /^\d+\.\d MB of output are left out here/

/** An empty output file, a clock that stands still, and readers of the file. */
function setup() {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-output-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'w.log')
  writeFileSync(path, '')
  const clock = { now: 0 }
  const open = () => {
    const output = openOutputFile(
      path,
      join(folder, 'w.read'),
      createLineBudget(() => clock.now),
    )
    onTestFinished(output.close)
    return output
  }
  return { path, clock, open, write: (text: string) => appendFileSync(path, text), size: () => statSync(path).size }
}

test('only whole lines are given out, each once, and the rest at the end', () => {
  const { open, write } = setup()
  const output = open()
  write('one\ntwo\r\nthr')
  expect(output.readLines()).toEqual(['one', 'two'])
  expect(output.readLines()).toEqual([])
  write('ee\nfour')
  expect(output.readLines()).toEqual(['three'])
  expect(output.moreWaits()).toBe(false)
  expect(output.readRest()).toEqual(['four'])
  expect(output.readRest()).toEqual([])
})

test('a later reader continues after the lines that were stored', () => {
  const { open, write } = setup()
  const first = open()
  write('stored\n')
  first.readLines()
  const position = first.position()
  write('given out but not stored\n')
  first.readLines()
  first.remember(position)
  first.close()
  first.remember(0)
  write('printed while nobody read\n')
  expect(open().readLines()).toEqual(['given out but not stored', 'printed while nobody read'])
})

test('a position behind the end, and one that is no number, mean the start', () => {
  const { path, open, write } = setup()
  write('line\n')
  writeFileSync(path.replace('.log', '.read'), '             99')
  expect(open().readLines()).toEqual(['line'])
  writeFileSync(path.replace('.log', '.read'), 'x')
  expect(open().readLines()).toEqual(['line'])
})

test('a line without an end is given out in pieces', () => {
  const { open, write } = setup()
  const output = open()
  write('x'.repeat(MIB - 1))
  expect(output.readLines()).toEqual([])
  write('xy')
  expect(output.readLines()).toEqual(['x'.repeat(MIB)])
  expect(output.moreWaits()).toBe(true)
  write('\n')
  expect(output.readLines()).toEqual(['y'])
})

test('a burst is given out up to the budget, and the rest as time passes', () => {
  const { clock, open, write } = setup()
  const output = open()
  write('\n'.repeat(LINES_AT_ONCE + 10))
  const atOnce = output.readLines().length
  expect(atOnce).toBe(Math.ceil((LINES_AT_ONCE * LINE_COST_BYTES) / (LINE_COST_BYTES + 1)))
  expect(output.moreWaits()).toBe(true)
  expect(output.readLines()).toEqual([])
  clock.now += 1000
  expect(output.readLines()).toHaveLength(LINES_AT_ONCE + 10 - atOnce)
  expect(output.moreWaits()).toBe(false)
})

test('a file that was read past 8 MiB is emptied, with no line lost', () => {
  const { clock, open, write, size } = setup()
  const output = open()
  const line = 'x'.repeat(MIB - 1)
  for (let n = 0; n < 9; n++) {
    write(`${line}\n`)
    clock.now += 10_000
    expect(output.readLines()).toEqual([line])
    expect(size()).toBe(n < 8 ? (n + 1) * MIB : 0)
  }
  write('next\n')
  clock.now += 10_000
  expect(output.readLines()).toEqual(['next'])
})

test('output that a reader falls behind by more than 8 MiB is left out, and a line says so', () => {
  const { clock, open, write, size } = setup()
  const output = open()
  write('first\n')
  write(`${'x'.repeat(MIB - 1)}\n`.repeat(10))
  const lines = output.readLines()
  expect([lines.at(0), lines.at(-1)]).toEqual(['first', expect.stringMatching(LEFT_OUT)])
  expect(size()).toBe(0)
  write('after\n')
  clock.now += 10_000
  expect(output.readLines()).toEqual(['after'])
})

test('of a worker that ended far ahead the last lines are given out', () => {
  const { open, write } = setup()
  const output = open()
  write('y\n'.repeat(3 * MIB))
  write('last words\n')
  const rest = output.readRest()
  expect(rest).toHaveLength(LINES_AT_ONCE + 1)
  expect([rest.at(0), rest.at(-1)]).toEqual([expect.stringMatching(LEFT_OUT), 'last words'])
})
