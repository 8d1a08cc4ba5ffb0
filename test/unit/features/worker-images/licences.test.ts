import { expect, test } from 'vitest'
import { LICENCES, readLicence } from '../../../../src-main/features/worker-images/rules/licences.ts'

test.each([
  ['flux-1-dev-non-commercial-license', 'flux-non-commercial'],
  ['FLUX.1 [dev] Non-Commercial License', 'flux-non-commercial'],
  ['stabilityai-ai-community', 'stability-community'],
  ['stabilityai-nc-research-community', 'stability-non-commercial'],
  ['sai-nc-community', 'stability-non-commercial'],
  ['cc-by-nc-sa-4.0', 'cc-by-nc'],
  ['CC BY-NC 4.0', 'cc-by-nc'],
  ['apple-amlr', 'apple-research'],
  ['NVIDIA Source Code License', 'nvidia-non-commercial'],
  ['tencent-hunyuan-community', 'hunyuan-community'],
  ['AGPL-3.0-or-later', 'agpl-3.0'],
  ['For research purposes only', 'research-only'],
  ['noncommercial', 'non-commercial'],
])('%s restricts serving', (text, id) => {
  expect(readLicence(text)?.id).toBe(id)
})

test.each([
  'MIT',
  'Apache-2.0',
  'GPL-3.0',
  'LGPL-3.0',
  'BSD-3-Clause',
  'openrail++',
  'creativeml-openrail-m',
  'cc-by-4.0',
  'cc-by-sa-4.0',
  'nvidia-open-model-license',
  'other',
  'gemma',
])('%s does not', (text) => {
  expect(readLicence(text)).toBeUndefined()
})

test('each row names the text to read', () => {
  for (const { source, says } of LICENCES) expect([source, says]).not.toContain('')
  expect(new Set(LICENCES.map(({ id }) => id)).size).toBe(LICENCES.length)
})
