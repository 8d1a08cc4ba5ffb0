import { expect, test } from 'vitest'
import {
  type Distribution,
  neededOfImage,
  readMetadata,
} from '../../../../src-main/features/apps/rules/distributions.ts'

const installed = (name: string, ...requires: readonly string[]): Distribution => ({
  ...readMetadata([`Name: ${name}`, 'Version: 1', ...requires.map((text) => `Requires-Dist: ${text}`)].join('\n')),
  files: [],
})
const EXCLUDED = new Set(['numpy', 'torch'])

test('the image requirements of a package keep their versions and conditions', () => {
  const sets = [
    installed('pandas', 'numpy>=1.26.0; python_version == "3.11"', 'python-dateutil>=2.8'),
    installed('tokens', 'NumPy'),
    installed('arrays', 'numpy'),
  ]
  expect(neededOfImage(sets, EXCLUDED, ['pandas'])).toEqual(['numpy', 'numpy>=1.26.0; python_version == "3.11"'])
})

test('the requirements of an extra count when somebody asked for the extra', () => {
  const models = installed('models', 'torch>=2; extra == "torch"', 'numpy; extra == "dev"')
  expect(neededOfImage([models], EXCLUDED, ['models'])).toEqual([])
  expect(neededOfImage([models], EXCLUDED, ['models[torch]>=1'])).toEqual(['torch>=2'])
  const caller = installed('caller', 'models[torch]')
  expect(neededOfImage([caller, models], EXCLUDED, ['caller'])).toEqual(['torch>=2'])
})

test('an extra may ask for another one of its own package', () => {
  const models = installed('models', 'models[fast]; extra == "all"', "torch; extra == 'Fast'")
  expect(neededOfImage([models], EXCLUDED, ['models[all]'])).toEqual(['torch'])
})

test('an unreadable requirement is left to the installer', () => {
  expect(neededOfImage([installed('odd', '=== what', 'numpy (>=1)')], EXCLUDED, ['odd'])).toEqual(['numpy>=1'])
})
