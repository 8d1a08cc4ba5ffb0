import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DIFFERENCE_ROWS, ofService } from '../../src-main/contract/differences.ts'
import { SETTING_SECTIONS } from '../../src-main/features/endpoints/rules/settings/sections.ts'
import { SETTING_TEXTS } from '../../src-renderer/features/settings/setting-texts.ts'
import { DIFFERENCES_PAGE, differencesPage, REFERENCE, referencePages } from './write-reference.ts'

test('docs/reference has what the tables of the product say', async () => {
  const written = readdirSync(REFERENCE).map((name) => [name, readFileSync(join(REFERENCE, name), 'utf8')])
  expect(Object.fromEntries(written), 'Run `npm run docs` and commit docs/reference.').toEqual(await referencePages())
})

test('docs/spec/differences.md has what the table of differences says, with settings that exist', () => {
  expect(readFileSync(DIFFERENCES_PAGE, 'utf8'), 'Run `npm run docs` and commit docs/spec.').toEqual(differencesPage())
  const known = [
    ...SETTING_SECTIONS.flatMap(({ fields }) => fields.map(({ path }) => path)),
    ...Object.keys(SETTING_TEXTS).map(ofService),
  ]
  const named = DIFFERENCE_ROWS.flatMap(({ setting }) => (setting === undefined ? [] : [setting.replace(/: \w+/, '')]))
  expect(named.filter((name) => !known.includes(name))).toEqual([])
})
