import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { REFERENCE, referencePages } from './write-reference.ts'

test('docs/reference has what the tables of the product say', async () => {
  const written = readdirSync(REFERENCE).map((name) => [name, readFileSync(join(REFERENCE, name), 'utf8')])
  expect(Object.fromEntries(written), 'Run `npm run docs` and commit docs/reference.').toEqual(await referencePages())
})
