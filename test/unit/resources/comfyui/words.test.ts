import { describe, expect, it } from 'vitest'
import { pythonText } from '../../../../resources/node/comfyui/prompt/python-text.ts'
import { readInput } from '../../../../resources/node/comfyui/prompt/read-input.ts'
import { decodeBase64 } from '../../../../resources/node/comfyui/prompt/upload-images.ts'
import { readSettings } from '../../../../resources/node/comfyui/settings.ts'
import { parseJson } from '../../../../src-main/lib/json/parse.ts'

describe('a value in words of Python', () => {
  it.each([
    ['"a \'b\'"', "a 'b'"],
    ['["a \'b\'"]', `["a 'b'"]`],
    [`["a 'b' \\"c\\""]`, `['a \\'b\\' "c"']`],
    ['["a\\nb\\\\"]', "['a\\nb\\\\']"],
    ['["\\u0007é"]', "['\\x07é']"],
    ['[null, true, false, 1.0, 18446744073709551615]', '[None, True, False, 1.0, 18446744073709551615]'],
    ['{"2": [], "1": {}}', "{'2': [], '1': {}}"],
  ])('%s', (text, expected) => {
    const value = parseJson(text)
    expect(value !== undefined && pythonText(value)).toBe(expected)
  })
})

describe('base64 as Python reads it', () => {
  it.each([
    ['aGk=', 'hi'],
    ['a G\nk=', 'hi'],
    ['aGk=aGk=', 'hi'],
    ['', ''],
  ])('%j', (text, expected) => {
    expect(decodeBase64(text).toString()).toBe(expected)
  })

  it.each([
    ['aGk', 'Incorrect padding'],
    ['aG=', 'Incorrect padding'],
    ['aGkaG', 'number of data characters (5) cannot be 1 more than a multiple of 4'],
  ])('refuses %j', (text, why) => {
    expect(() => decodeBase64(text)).toThrow(why)
  })
})

describe('an input', () => {
  it('keeps the numbers of its workflow, and gives the key only where it is a text', () => {
    const { workflow, comfyOrgKey, images } = readInput(
      '{"workflow": {"1": 18446744073709551615}, "comfy_org_api_key": 5, "images": null}',
    )
    expect([workflow, comfyOrgKey, images]).toEqual([
      new Map([['1', { number: '18446744073709551615' }]]),
      undefined,
      [],
    ])
  })

  it.each([
    ['[]', "'input' must be an object with the key 'workflow'"],
    ['"5"', "'input' must be an object with the key 'workflow'"],
    ['""', 'Invalid JSON format in input'],
    ['{"workflow": null}', "Missing 'workflow' parameter"],
    ['{"workflow": {}, "images": [5]}', "'images' must be a list of objects with 'name' and 'image' keys"],
  ])('%s is refused', (text, why) => {
    expect(() => readInput(text)).toThrow(why)
  })
})

describe('settings', () => {
  it('are those of the public worker where nothing is said, or no number', () => {
    const plain = readSettings({ WEBSOCKET_RECONNECT_ATTEMPTS: 'many', SVC_WORKFLOW_SERVER: ' ' })
    expect(plain).toMatchObject({
      ...{ servers: ['http://127.0.0.1:8188', 'http://127.0.0.1:8000'], lookIntervalMs: 50, lookAttempts: undefined },
      lookForMs: 300_000,
      ...{ reconnectAttempts: 5, reconnectDelayMs: 3000 },
    })
  })

  it('are read from the environment', () => {
    const set = readSettings({
      ...{ SVC_WORKFLOW_SERVER: 'http://there:8188', COMFY_ORG_API_KEY: 'k', WEBSOCKET_RECONNECT_DELAY_S: '0.5' },
      ...{ COMFY_API_AVAILABLE_MAX_RETRIES: '7', WEBSOCKET_RECONNECT_ATTEMPTS: '0' },
    })
    expect(set).toMatchObject({
      ...{ servers: ['http://there:8188'], comfyOrgKey: 'k', lookAttempts: 7 },
      ...{ reconnectAttempts: 0, reconnectDelayMs: 500 },
    })
  })
})
