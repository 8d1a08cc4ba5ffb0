import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { formatLogLine, logText } from '../../../../src-main/app/desktop/log-text.ts'

test.each([
  [
    '{"level":40,"time":1795896315367,"why":"it was killed","msg":"service ended"}',
    '2026-11-28 20:05:15.367Z WARN service ended {"why":"it was killed"}',
  ],
  ['{"level":30,"time":1795896315367,"msg":"service started"}', '2026-11-28 20:05:15.367Z INFO service started'],
  ['Error: not JSON', 'Error: not JSON'],
  ['{"a":1}', '{"a":1}'],
  ['null', 'null'],
])('formats the line %s as %s', (line, shown) => {
  expect(formatLogLine(line)).toBe(shown)
})

test('logs are concatenated, with the reason if one cannot be read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-logs-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [full = '', missing = ''] = ['full', 'missing'].map((name) => join(folder, name))
  writeFileSync(full, 'one\ntwo\n')
  expect(logText([full, missing, folder])).toMatch(
    new RegExp(
      `^${full}\\n\\none\\ntwo\\n\\n\\n${missing}\\n\\n\\(empty\\)\\n\\n\\n${folder}\\n\\nThis file cannot be read: EISDIR`,
    ),
  )
})
