import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', '..', path), 'utf8')
const captured = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name).sort()

test('`npm test` and `npm run test:rest` together run every project of `npm run test:all` once', () => {
  const { scripts } = JSON.parse(read('package.json'))
  const projects = captured(read('vitest.config.ts'), /\bproject\('([\w-]+)'/g)
  expect(projects).toContain('unit')
  const leftOut = captured(scripts['test:all'], /--project=!([\w-]+)/g)
  const run = captured(`${scripts.test} ${scripts['test:rest']}`, /--project=([\w-]+)/g)
  expect(run).toEqual(projects.filter((name) => !leftOut.includes(name)))
})
