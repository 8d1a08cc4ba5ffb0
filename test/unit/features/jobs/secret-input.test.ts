import { expect, it } from 'vitest'
import { withMembers } from '../../../../src-main/features/jobs/rules/secret-input.ts'
import { withoutAccountKeys } from '../../../../src-main/features/workflows/rules/runs/account-keys.ts'

const KEY = 'a "key"'
const INPUT = `{"workflow":{"1":{"seed":18446744073709551615}},"comfy_org_api_key":${JSON.stringify(KEY)},"images":[]}`

it.each([
  ['an object', INPUT],
  ['a text', JSON.stringify(INPUT)],
  ['nothing else', JSON.stringify({ comfy_org_api_key: KEY })],
])('a key in %s is taken out of the input, and is there again for the worker', (_what, input) => {
  const { input: stored = '', secretInput = '' } = withoutAccountKeys(input) ?? {}
  expect(stored).not.toContain('key')
  for (const form of [stored, Buffer.from(stored)]) {
    const sent = withMembers(form, secretInput).map((piece) => piece.toString())
    const read = (json: string): Readonly<Record<string, unknown>> => {
      const value = JSON.parse(json)
      return typeof value === 'string' ? JSON.parse(value) : value
    }
    expect(read(sent.join(''))).toEqual(read(input))
  }
})

it.each(['{"comfy_org_api_key":5}', '{"text":"comfy_org_api_key"}', '"comfy_org_api_key"', '[', '{}'])(
  'there is no key in %s',
  (input) => expect(withoutAccountKeys(input)).toBeUndefined(),
)
