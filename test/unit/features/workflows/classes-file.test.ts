import { describe, expect, test } from 'vitest'
import {
  classFacts,
  readClassesFile,
  typesIn,
  writeClassesFile,
} from '../../../../src-main/features/workflows/rules/classes-file.ts'
import { writeJson } from '../../../../src-main/lib/json/value.ts'
import { json, objectOf } from '../../../support/workflow-files.ts'

const CLASS = '{"input":{"required":{"seed":["INT",{"max":18446744073709551615}]}},"output":[]}'

describe('a text of classes', () => {
  test.each([
    ['an answer of a server', `{"One":${CLASS}}`, undefined],
    ['a file that says its version', `{"version":"ComfyUI 0.33.0","types":{"One":${CLASS}}}`, 'ComfyUI 0.33.0'],
  ])('is %s', (_what, text, version) => {
    const read = readClassesFile(text)
    expect(read).toEqual({ version, classes: objectOf(`{"One":${CLASS}}`) })
    expect([...typesIn(text).keys()]).toEqual(['One'])
  })

  test('may have a class called types, or version', () => {
    const text = `{"version":${CLASS},"types":${CLASS}}`
    expect(readClassesFile(text)).toEqual({ version: undefined, classes: objectOf(text) })
  })

  test.each(['[]', '{}', '{"version":"1","types":{}}', '{"nodes":[]}', 'no'])('%s holds none', (text) => {
    expect(readClassesFile(text)).toMatch(/^(has no node classes|is not valid JSON)/)
    expect(typesIn(text).size).toBe(0)
  })

  test('is written with a class a line, by name, and read as it was', () => {
    const classes = objectOf(`{"b":${CLASS},"a":${CLASS}}`)
    const text = writeClassesFile({ version: 'ComfyUI 0.33.0', classes })
    expect(text).toBe(`{"version": "ComfyUI 0.33.0", "types": {\n"a": ${CLASS},\n"b": ${CLASS}\n}}\n`)
    expect(readClassesFile(text)).toMatchObject({ version: 'ComfyUI 0.33.0' })
  })
})

describe('the facts of classes', () => {
  const facts = (input: object, more: object = {}) =>
    JSON.parse(writeJson(classFacts(objectOf(writeJson(json({ One: { input, ...more } })))))).One

  test('are what a class is called, takes and gives, without texts about it', () => {
    const more = {
      ...{ description: 'long', search_aliases: ['a'], price_badge: {}, output_tooltips: ['long'] },
      ...{ output: ['IMAGE'], output_matchtypes: null, deprecated: false, api_node: true, output_node: false },
    }
    expect(facts({ required: {}, hidden: { prompt: 'PROMPT' } }, more)).toEqual({
      input: { required: {}, hidden: { prompt: 'PROMPT' } },
      output: ['IMAGE'],
      output_node: false,
      api_node: true,
    })
  })

  test('keep how a widget behaves, also within choices and templates, and values as they are', () => {
    const text = { tooltip: 'long', placeholder: 'type here', multiline: true, default: { tooltip: 'a value' } }
    const kept = { multiline: true, default: { tooltip: 'a value' } }
    const groups = (options: object) => ({ required: { tooltip: ['STRING', options] } })
    const input = (options: object, picks: object) => ({
      required: {
        any: ['IMAGE'],
        none: ['STRING', options],
        grows: ['COMFY_AUTOGROW_V3', { template: { input: groups(options), prefix: 'a', max: 3 } }],
        slot: ['COMFY_DYNAMICSLOT_V3', { slotType: 'IMAGE', inputs: groups(options) }],
        choice: ['COMFY_DYNAMICCOMBO_V3', { options: [{ key: 'one', inputs: groups(options) }] }],
        many: [['a', 'b'], { multi_select: picks }],
      },
    })
    expect(facts(input(text, { placeholder: 'pick', chip: true }))).toEqual({ input: input(kept, { chip: true }) })
    expect(facts({ required: { lone: ['IMAGE', { tooltip: 'long' }] } })).toEqual({
      input: { required: { lone: ['IMAGE'] } },
    })
  })

  test.each<[string, readonly unknown[], readonly unknown[]]>([
    ['image', [['mine.png'], { image_upload: true }], [[], { image_upload: true }]],
    ['file', ['COMBO', { options: ['none'], file_upload: true }], ['COMBO', { options: [], file_upload: true }]],
    ['vae_name', [['pixel_space']], [[]]],
    ['model', [['None', 'mine.safetensors']], [[]]],
    ['folder', ['COMBO', { options: ['holidays'] }], ['COMBO', { options: [] }]],
    ['size', [['1K', '1.5K']], [['1K', '1.5K']]],
  ])('of %s %j are %j: files and folders of a machine are none', (name, input, expected) => {
    expect(facts({ required: { [name]: input } })).toEqual({ input: { required: { [name]: expected } } })
  })
})
